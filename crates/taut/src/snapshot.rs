//! Snapshots: a world as bytes, and back, in this process or another.
//!
//! Everything that influences a result is stored, bit for bit: definitions,
//! motion, warm starts, contacts, settings. Caches (trees, factorizations)
//! are not; they do not influence results. The format is compact, versioned
//! and ends with a checksum: damaged bytes give an error, never a panic.

mod codec;
mod scene;
mod softs;

use crate::Error;
use crate::contact::Contact;
use crate::slots::{BodyId, CableId, JointId, SoftBodyId};
use crate::world::{ColliderTable, World};
use codec::bad;
pub(crate) use codec::{Reader, Store};

const MAGIC: &[u8; 8] = b"tautsnap";
const VERSION: u32 = 19;

impl World {
    /// The whole world as bytes.
    ///
    /// ```
    /// use taut::{Body, Shape, World};
    /// let mut world = World::new();
    /// let ball = world.add_body(Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 }))?;
    /// world.step(0.01)?;
    /// let mut copy = World::restore(&world.snapshot())?;
    /// world.step(0.01)?;
    /// copy.step(0.01)?;
    /// assert_eq!(world.body(ball)?.position(), copy.body(ball)?.position());
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        VERSION.put(&mut out);
        self.bodies.world().put(&mut out);
        self.gravity.put(&mut out);
        self.time.put(&mut out);
        self.settings.put(&mut out);
        self.bodies.put(&mut out);
        self.joints.put(&mut out);
        self.cables.put(&mut out);
        self.textures.put(&mut out);
        self.pairs.put(&mut out);
        let (of_body, free, len) = self.colliders.parts();
        of_body.to_vec().put(&mut out);
        free.to_vec().put(&mut out);
        len.put(&mut out);
        self.contacts.put(&mut out);
        self.gone.put(&mut out);
        self.touching.put(&mut out);
        self.ledger.put(&mut out);
        self.ignored.put(&mut out);
        self.softs.put(&mut out);
        checksum(&out).put(&mut out);
        out
    }

    /// A world from the bytes of [`World::snapshot`]; ids stay valid. It
    /// continues exactly as the original would.
    pub fn restore(bytes: &[u8]) -> Result<World, Error> {
        World::read(bytes, None)
    }

    /// Replaces this world by that of a snapshot, whose bodies and joints are
    /// those of this one (it was built in the same way, perhaps in another
    /// process): ids of this world stay valid. Unchanged if the bytes are
    /// no snapshot.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), Error> {
        *self = World::read(bytes, Some(self.bodies.world()))?;
        Ok(())
    }

    /// Reads a world, under its own number or another.
    fn read(bytes: &[u8], number: Option<u32>) -> Result<World, Error> {
        let mut from = Reader::new(bytes);
        if from.bytes(MAGIC.len())? != MAGIC {
            return Err(bad("these bytes are no snapshot"));
        }
        let version = u32::get(&mut from)?;
        if version != VERSION {
            return Err(bad(format!("version {version}, but this program reads {VERSION}")));
        }
        let (content, sum) = bytes.split_last_chunk().ok_or_else(|| bad("it ends too early"))?;
        if u64::from_le_bytes(*sum) != checksum(content) {
            return Err(bad("it is damaged or incomplete: its checksum is wrong"));
        }
        let written = u32::get(&mut from)?;
        from.world = number.unwrap_or(written);
        from.shift = from.world.wrapping_sub(written);
        let mut world = World::new();
        world.gravity = Store::get(&mut from)?;
        world.time = Store::get(&mut from)?;
        world.settings = Store::get(&mut from)?;
        world.bodies = Store::get(&mut from)?;
        world.joints = Store::get(&mut from)?;
        world.cables = Store::get(&mut from)?;
        world.textures = Store::get(&mut from)?;
        world.pairs = Store::get(&mut from)?;
        world.colliders = read_colliders(&mut from, &world)?;
        world.contacts = Vec::<Contact>::get(&mut from)?;
        world.gone = Vec::<Contact>::get(&mut from)?;
        world.touching = Store::get(&mut from)?;
        world.ledger = Store::get(&mut from)?;
        world.ignored = Store::get(&mut from)?;
        world.softs = Store::get(&mut from)?;
        from.bytes(sum.len())?;
        if !from.is_empty() {
            return Err(bad("it is longer than it should be"));
        }
        world.check_restored()?;
        Ok(world)
    }

    /// Rebuilds the names and checks that everything refers to something.
    fn check_restored(&mut self) -> Result<(), Error> {
        let bodies = self.bodies.iter().map(|(id, b)| (b.name().to_string(), BodyId::of_slot(id)));
        self.body_names = bodies.collect();
        let joints = self.joints.iter().map(|(id, j)| (j.name().to_string(), JointId::of_slot(id)));
        self.joint_names = joints.collect();
        let known = |id: BodyId| self.bodies.get(id.index, id.generation).is_some();
        for (_, joint) in self.joints.iter() {
            if ![joint.joint.a, joint.joint.b].iter().filter_map(|f| f.body()).all(known) {
                return Err(bad(format!("joint '{}' refers to no body", joint.name())));
            }
        }
        let cables = self.cables.iter().map(|(id, c)| (c.name().to_string(), CableId::of_slot(id)));
        self.cable_names = cables.collect();
        for (_, cable) in self.cables.iter() {
            let stations = &cable.cable.stations;
            if !stations.iter().filter_map(|s| s.frame.body()).all(known) {
                return Err(bad(format!("cable '{}' refers to no body", cable.name())));
            }
            let (count, spans) = (stations.len(), cable.cable.spans());
            let whole = cable.wraps.len() == count
                && cable.touches.len() == count
                && cable.left.len() == count
                && cable.angles.len() == count
                && cable.turned.len() == count
                && cable.faces.len() == count
                && cable.came.len() <= count
                && (0..count).all(|k| {
                    let (faces, solid) = (&cable.faces[k], cable.cable.solid(k));
                    let known = solid.is_some() == stations[k].solid.is_some();
                    known && solid.map_or(faces.is_empty(), |s| s.has_faces(faces))
                })
                && cable.rests.len() == if cable.cable.has_segments() { spans } else { 0 };
            let lists = [&cable.tensions, &cable.acting, &cable.means];
            if count < 2 || !whole || lists.iter().any(|list| list.len() != spans) {
                return Err(bad(format!("cable '{}' is not whole", cable.name())));
            }
        }
        let softs =
            self.softs.iter().map(|(id, s)| (s.name().to_string(), SoftBodyId::of_slot(id)));
        self.soft_names = softs.collect();
        for (_, soft) in self.softs.iter() {
            if !soft.attachments.iter().all(|a| known(a.body) && (a.node as usize) < soft.x.len()) {
                return Err(bad(format!("soft body '{}' is attached to no body", soft.name())));
            }
        }
        let slots = self.bodies.slots() as u32;
        if self.contacts.iter().chain(&self.gone).any(|c| c.a >= slots || c.b >= slots) {
            return Err(bad("a contact refers to no body"));
        }
        self.list_jointed();
        Ok(())
    }
}

fn read_colliders(from: &mut Reader, world: &World) -> Result<ColliderTable, Error> {
    let of_body: Vec<Vec<u32>> = Store::get(from)?;
    let free: Vec<u32> = Store::get(from)?;
    let len = usize::get(from)?;
    let count: usize = of_body.iter().map(Vec::len).sum();
    let in_range = of_body.iter().flatten().chain(&free).all(|&i| (i as usize) < len);
    if !in_range || count + free.len() != len {
        return Err(bad("its table of colliders is wrong"));
    }
    let mut table = ColliderTable::from_parts(of_body, free, len);
    for ((slot, _), body) in world.bodies.iter() {
        table.set(slot, body);
    }
    Ok(table)
}

/// Of bytes: each word of eight is mixed in by a step that can be undone, so
/// that no change of a single one goes unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    let mix =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum =
        words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, &byte| mix(sum, byte.into()))
}
