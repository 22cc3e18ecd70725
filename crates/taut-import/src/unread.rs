//! The safety net: a note for each attribute and element that no reader asks for, so that nothing is passed over in
//! silence, typing mistakes included.
//!
//! A table for each format has what is read, and what does not change the motion of rigid bodies (colours, groups,
//! parameters of other solvers) or is about controllers, sensors or pictures.

use crate::error::Notes;
use crate::xml::Element;

/// A tag, the attributes that need no note, and the children that need none. A child `-tag` needs none, nor
/// does anything in it; `*`: the reader tells about the children itself.
type Row = (&'static str, &'static str, &'static str);

pub(crate) const URDF: &[Row] = &[
    ("robot", "name version", "*"),
    ("link", "name", "*"),
    (
        "joint",
        "name type",
        "origin parent child axis limit dynamics mimic -calibration -safety_controller",
    ),
    ("inertial", "", "origin mass inertia"),
    ("collision", "name", "origin geometry -material"),
    ("visual", "name", "origin geometry -material"),
    ("geometry", "", "*"),
    ("origin", "xyz rpy", ""),
    ("mass", "value", ""),
    ("inertia", "ixx iyy izz ixy ixz iyz", ""),
    ("box", "size", ""),
    ("sphere", "radius", ""),
    ("cylinder", "radius length", ""),
    ("capsule", "radius length", ""),
    ("mesh", "filename scale", ""),
    ("parent", "link", ""),
    ("child", "link", ""),
    ("axis", "xyz", ""),
    ("limit", "lower upper effort velocity", ""),
    ("dynamics", "damping friction", ""),
    ("mimic", "joint multiplier offset", ""),
];

pub(crate) const SDF: &[Row] = &[
    ("model", "name canonical_link", "*"),
    (
        "link",
        "name",
        "inertial collision pose gravity visual -sensor -light -audio_sink -audio_source -projector \
         -particle_emitter -must_be_base_link -enable_wind",
    ),
    ("frame", "name attached_to", "pose"),
    (
        "joint",
        "name type",
        "parent child pose axis axis2 -physics -sensor screw_thread_pitch thread_pitch",
    ),
    ("axis", "", "xyz limit dynamics mimic use_parent_model_frame"),
    ("axis2", "", "xyz limit dynamics mimic use_parent_model_frame"),
    ("xyz", "expressed_in", ""),
    ("limit", "", "lower upper -effort -velocity -stiffness -dissipation"),
    ("dynamics", "", "damping friction spring_stiffness spring_reference"),
    ("mimic", "joint axis", "multiplier offset reference"),
    ("inertial", "auto", "mass inertia pose density"),
    ("inertia", "", "ixx iyy izz ixy ixz iyz"),
    ("pose", "relative_to rotation_format degrees", ""),
    ("collision", "name", "pose geometry surface density -laser_retro -max_contacts"),
    (
        "visual",
        "name",
        "pose geometry -material -cast_shadows -laser_retro -transparency -visibility_flags -meta -plugin",
    ),
    ("geometry", "", "*"),
    ("box", "", "size"),
    ("sphere", "", "radius"),
    ("cylinder", "", "radius length"),
    ("capsule", "", "radius length"),
    ("plane", "", "normal -size"),
    ("mesh", "", "uri scale"),
    ("surface", "", "friction bounce contact"),
    ("friction", "", "ode"),
    ("bounce", "", "restitution_coefficient"),
    ("contact", "", "-ode -bullet -poissons_ratio -elastic_modulus"),
    ("ode", "", "mu mu2"),
];

pub(crate) const MJCF: &[Row] = &[
    ("mujoco", "model", "*"),
    (
        "compiler",
        "angle autolimits strippath balanceinertia assetdir meshdir eulerseq inertiafromgeom inertiagrouprange boundmass \
         boundinertia settotalmass texturedir discardvisual usethread alignfree fusestatic saveinertial fitaabb",
        "-lengthrange",
    ),
    (
        "option",
        "gravity timestep integrator solver iterations tolerance ls_iterations ls_tolerance noslip_iterations \
         noslip_tolerance ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations sdf_initpoints cone \
         jacobian impratio apirate magnetic o_margin o_solref o_solimp o_friction sleep_tolerance density viscosity wind",
        "-flag",
    ),
    (
        "default",
        "class",
        "default mesh joint geom site equality -material -camera -light tendon pair general motor \
         position velocity -intvelocity -damper -cylinder -muscle -adhesion -plugin",
    ),
    ("asset", "", "mesh hfield -material -texture -model -skin"),
    ("hfield", "name file content_type nrow ncol size elevation", ""),
    (
        "mesh",
        "name class file vertex face scale refpos refquat inertia content_type smoothnormal maxhullvert texcoord normal \
         facetexcoord material octree_maxdepth",
        "",
    ),
    ("worldbody", "name", "*"),
    (
        "body",
        "name pos quat euler axisangle xyaxes zaxis childclass gravcomp mocap user sleep",
        "*",
    ),
    ("frame", "name pos quat euler axisangle xyaxes zaxis childclass", "*"),
    (
        "joint",
        "name class type axis pos ref range limited armature damping frictionloss stiffness springref springdamper \
         actuatorfrcrange actuatorfrclimited actuatorgravcomp group solreflimit solimplimit solreffriction solimpfriction margin user \
         joint1 joint2 polycoef active solref solimp",
        "",
    ),
    ("freejoint", "name group align", ""),
    (
        "geom",
        "name class type size fromto pos quat euler axisangle xyaxes zaxis mesh contype conaffinity condim priority \
         friction group mass density shellinertia solref solimp margin gap rgba material solmix user fitscale hfield \
         fluidshape fluidcoef",
        "-plugin",
    ),
    (
        "site",
        "name class pos quat euler axisangle xyaxes zaxis fromto type size rgba group material user",
        "",
    ),
    ("inertial", "pos quat euler axisangle xyaxes zaxis mass diaginertia fullinertia", ""),
    ("contact", "", "pair exclude"),
    ("pair", "name class geom1 geom2 friction condim solref solimp solreffriction gap margin", ""),
    ("exclude", "name class body1 body2", ""),
    ("equality", "name class active solref solimp", "*"),
    ("connect", "name class active solref solimp body1 body2 anchor site1 site2", ""),
    (
        "weld",
        "name class active solref solimp body1 body2 anchor site1 site2 relpose torquescale",
        "",
    ),
    ("tendon", TENDON, "fixed spatial"),
    ("fixed", TENDON, "-joint"),
    ("spatial", TENDON, "-site -geom -pulley"),
    ("keyframe", "", "key"),
    ("key", "name time qpos qvel ctrl", ""),
    ("actuator", "", "*"),
    ("motor", MOTOR, ""),
    ("position", POSITION, ""),
    ("velocity", POSITION, ""),
    ("general", GENERAL, ""),
    ("plugin", PLUGIN, "-config"),
];

const TENDON: &str = "name class group limited range margin solreflimit solimplimit solreffriction solimpfriction \
    frictionloss springlength stiffness damping armature width rgba material user \
    tendon1 tendon2 polycoef active solref solimp";
const MOTOR: &str = "name class group user nsample joint jointinparent gear forcerange forcelimited ctrlrange \
    ctrllimited lengthrange tendon site refsite body slidersite cranksite cranklength";
const POSITION: &str = "kp kv dampratio inheritrange name class group user nsample joint jointinparent gear forcerange forcelimited \
    ctrlrange ctrllimited lengthrange tendon site refsite body slidersite cranksite cranklength";
const PLUGIN: &str = "dyntype plugin instance name class group user nsample joint jointinparent gear forcerange forcelimited \
    ctrlrange ctrllimited actlimited actrange actdim actearly lengthrange tendon";
const GENERAL: &str = "dyntype gaintype biastype gainprm biasprm dynprm actdim name class group user nsample joint \
    jointinparent gear forcerange forcelimited ctrlrange ctrllimited lengthrange tendon site refsite body slidersite \
    cranksite cranklength";

/// Adds a note for each attribute and child of an element, and of those in it, that the table does not have.
pub(crate) fn note(e: &Element, table: &[Row], notes: &mut Notes) {
    let Some((_, attributes, children)) = table.iter().find(|row| row.0 == e.tag) else { return };
    let has = |list: &str, name: &str| list.split_whitespace().any(|n| n == name);
    for (name, _) in e.attributes.iter().filter(|(name, _)| !has(attributes, name)) {
        notes.add(&e.place, format!("'{name}' of {} is not read", e.label()));
    }
    for child in &e.children {
        if has(children, &format!("-{}", child.tag)) {
            continue;
        }
        // What is switched off needs no word.
        let off = child.children.is_empty() && ["0", "false"].contains(&child.text.as_str());
        if *children != "*" && !has(children, &child.tag) && !off {
            notes.add(&child.place, format!("{} of {} is not read", child.label(), e.label()));
        }
        let leaf = child.children.is_empty() && child.attributes.is_empty();
        if !leaf && (*children == "*" || has(children, &child.tag)) {
            note(child, table, notes);
        }
    }
}
