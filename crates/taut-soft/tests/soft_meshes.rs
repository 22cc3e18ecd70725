//! Meshes: volumes, surfaces, gmsh files, and what is none.

use taut_sdf::Surface;
use taut_soft::{Error, Mesh};

/// The surface of a mesh, renumbered, is that of a solid: closed, a manifold, wound outwards.
fn closed_surface(mesh: &Mesh) -> Surface {
    let nodes = mesh.surface_nodes();
    let place = |n: u32| nodes.binary_search(&n).expect("a surface node") as u32;
    let triangles = mesh.surface().iter().map(|t| t.map(place)).collect();
    Surface::new(nodes.iter().map(|&n| mesh.nodes()[n as usize]).collect(), triangles)
        .expect("closed")
}

#[test]
fn structured_meshes_fill_their_shapes() {
    let block = Mesh::block([1.0, 2.0, 0.5], [2, 3, 1]).expect("a block");
    assert!((block.volume() - 1.0).abs() < 1e-14);
    assert_eq!(block.elements().count(), 36);
    assert_eq!(block.surface().len(), 2 * 2 * (6 + 2 + 3));
    // A polygon of 16 sides instead of a circle.
    let polygon = |r: f64| 8.0 * r * r * (std::f64::consts::TAU / 16.0).sin();
    let cylinder = Mesh::cylinder(0.5, 2.0, [2, 16, 3]).expect("a cylinder");
    assert!((cylinder.volume() - 2.0 * polygon(0.5)).abs() < 1e-14);
    assert_eq!(cylinder.elements().count(), 3 * 16 * (3 + 6));
    let tube = Mesh::tube([0.3, 0.5], 2.0, [1, 16, 3]).expect("a tube");
    assert!((tube.volume() - 2.0 * (polygon(0.5) - polygon(0.3))).abs() < 1e-14);
    let beam = Mesh::beam(2.0, [0.1, 0.2], 5).expect("a beam");
    assert_eq!((beam.nodes_per_element(), beam.nodes().len()), (10, 11 * 9));
    for mesh in [block, cylinder, tube, beam] {
        closed_surface(&mesh);
        let quadratic = mesh.quadratic().expect("quadratic");
        closed_surface(&quadratic);
        assert!((quadratic.volume() / mesh.volume() - 1.0).abs() < 1e-13);
    }
    assert!(Mesh::block([1.0, 0.0, 1.0], [1; 3]).is_err());
    assert!(Mesh::block([1.0; 3], [1, 0, 1]).is_err());
    assert!(Mesh::block([1.0; 3], [1000, 1000, 1000]).is_err());
    assert!(Mesh::tube([0.5, 0.5], 1.0, [1, 8, 1]).is_err());
    assert!(Mesh::cylinder(0.5, 1.0, [1, 2, 1]).is_err());
}

#[test]
fn bad_meshes_are_named() {
    let nodes =
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.2, 2.0]];
    let linear = |elements: &[[u32; 4]]| Mesh::linear(nodes.clone(), elements);
    assert_eq!(linear(&[]), Err(Error::Empty));
    assert_eq!(linear(&[[1, 0, 2, 3]]), Err(Error::LooseNode(4)));
    assert_eq!(linear(&[[0, 1, 2, 9]]), Err(Error::Index { element: 0, node: 9, count: 5 }));
    assert_eq!(linear(&[[0, 1, 2, 1]]), Err(Error::Index { element: 0, node: 1, count: 5 }));
    // Both on the same side of 0–1–2.
    assert_eq!(linear(&[[0, 1, 2, 3], [0, 1, 2, 4]]), Err(Error::Overlap(0, 1)));
    let all = |k: usize, x: [f64; 3], elements: &[[u32; 4]]| {
        let mut nodes = nodes[..4].to_vec();
        nodes[k] = x;
        Mesh::linear(nodes, elements)
    };
    assert_eq!(all(3, [0.0, 0.0, 1.0], &[[1, 0, 2, 3]]), Err(Error::Inverted(0)));
    assert_eq!(all(3, [0.3, 0.3, 0.0], &[[0, 1, 2, 3]]), Err(Error::Degenerate(0)));
    assert_eq!(all(3, [0.3, 0.3, 1e-14], &[[0, 1, 2, 3]]), Err(Error::Degenerate(0)));
    assert_eq!(all(2, [0.0, f64::NAN, 0.0], &[[0, 1, 2, 3]]), Err(Error::Coordinate(2)));
    // Two quadratic elements with a middle node of their own on a common edge: a hole opens there.
    let two = Mesh::block([1.0; 3], [1; 3]).expect("a block").quadratic().expect("quadratic");
    let mut elements: Vec<[u32; 10]> =
        two.elements().map(|e| std::array::from_fn(|k| e[k])).collect();
    let mut nodes = two.nodes().to_vec();
    nodes.push(nodes[elements[0][4] as usize]);
    elements[0][4] = nodes.len() as u32 - 1;
    assert!(matches!(Mesh::with_middles(nodes, &elements), Err(Error::Hole(..))));
    // A middle node so far off that the element is inside out at a corner.
    let one = Mesh::linear(
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        &[[0, 1, 2, 3]],
    );
    let one = one.expect("one").quadratic().expect("quadratic");
    let mut nodes = one.nodes().to_vec();
    nodes[4] = [-0.5, 0.0, 0.0];
    let elements: Vec<[u32; 10]> = one.elements().map(|e| std::array::from_fn(|k| e[k])).collect();
    assert_eq!(Mesh::with_middles(nodes, &elements), Err(Error::Inverted(0)));
}

const TWO: &str = "$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 \"rubber\"
$EndPhysicalNames
$Nodes
6
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
50 1 1 1
99 7 7 7
$EndNodes
$Elements
4
1 15 2 0 1 99
2 2 2 0 1 10 20 30
3 4 2 1 1 10 20 30 40
4 4 2 1 1 20 30 40 50
$EndElements
";

const FOUR: &str = "$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
1 0 0 1
1 0 0 0 0
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 6 10 99
0 1 0 1
99
7 7 7
3 1 0 5
10
20
30
40
50
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
2 3 1 4
2 1 2 1
2 10 20 30
3 1 4 2
3 10 20 30 40
4 20 30 40 50
$EndElements
";

#[test]
fn both_versions_of_gmsh_say_the_same() {
    let two = Mesh::from_gmsh(TWO).expect("version 2.2");
    assert_eq!((two.nodes().len(), two.elements().count()), (5, 2));
    assert!((two.volume() - 0.5).abs() < 1e-15);
    assert_eq!(Mesh::from_gmsh(FOUR).expect("version 4.1"), two);
    closed_surface(&two);
    // Quadratic, numbered as gmsh does: what `quadratic` writes is read back.
    let quadratic = two.quadratic().expect("quadratic");
    let mut text =
        format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", quadratic.nodes().len());
    for (k, x) in quadratic.nodes().iter().enumerate() {
        text += &format!("{} {} {} {}\n", k + 1, x[0], x[1], x[2]);
    }
    text += &format!("$EndNodes\n$Elements\n{}\n", quadratic.elements().count());
    for (k, e) in quadratic.elements().enumerate() {
        let nodes: Vec<String> = e.iter().map(|n| (n + 1).to_string()).collect();
        text += &format!("{} 11 0 {}\n", k + 1, nodes.join(" "));
    }
    text += "$EndElements\n";
    assert_eq!(Mesh::from_gmsh(&text).expect("quadratic"), quadratic);
}

#[test]
fn bad_files_are_named_with_their_line() {
    let cases = [
        (TWO.replace("2.2 0 8", "1.0 0 8"), "line 2", "version 1.0"),
        (TWO.replace("2.2 0 8", "2.2 1 8"), "line 2", "binary"),
        (TWO.replace("40 0 0 1", "40 0 zero 1"), "line 13", "'zero'"),
        (TWO.replace("20 30 40 50", "20 30 40 51"), "line 22", "no node 51"),
        (TWO.replace("4 4 2 1 1 20 30 40 50", "4 5 2 1 1 1 2 3 4 5 6 7 8"), "line 22", "type 5"),
        (TWO.replace("$EndElements", ""), "line 22", "ends"),
        (TWO.replace("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", ""), "line 5", "$MeshFormat"),
        (TWO[..TWO.find("$Elements").expect("there")].to_string(), "line 16", "$Elements"),
        (String::new(), "line 1", "$Nodes"),
        ("0 1 2".into(), "line 1", "section"),
        (TWO.replace("$Nodes\n6", "$Nodes\n99999999999"), "line 16", "$EndNodes"),
    ];
    for (text, line, word) in cases {
        let error = Mesh::from_gmsh(&text).expect_err("a mistake").to_string();
        assert!(error.contains(line) && error.contains(word), "{error} ({line}, {word})");
    }
    let inverted = TWO.replace("20 30 40 50\n", "30 20 40 50\n");
    assert_eq!(Mesh::from_gmsh(&inverted), Err(Error::Inverted(1)));
    // Any cut of a file is an error or a mesh, never a panic.
    for text in [TWO, FOUR] {
        for end in 0..text.len() {
            let _ = Mesh::from_gmsh(&text[..end]);
        }
    }
}
