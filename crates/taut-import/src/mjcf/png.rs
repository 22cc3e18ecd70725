//! Pictures of heights: PNG, as one number of a byte for each pixel (red, where there are colours).

use flate2::read::ZlibDecoder;
use std::io::Read;

/// Rows, columns, and heights with the last row of the picture first, as MuJoCo has them.
pub(super) fn read(bytes: &[u8], most: usize) -> Result<(usize, usize, Vec<f64>), String> {
    let short = || "ends too soon".to_string();
    let mut rest = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n").ok_or("is not a PNG picture")?;
    let (mut head, mut data, mut palette) = (None, Vec::new(), Vec::new());
    loop {
        let (length, tail) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let (kind, tail) = tail.split_first_chunk::<4>().ok_or_else(short)?;
        let body = tail.get(..u32::from_be_bytes(*length) as usize).ok_or_else(short)?;
        match kind {
            b"IHDR" => head = Some(Head::read(body, most)?),
            b"PLTE" => palette = body.chunks_exact(3).map(|c| c[0]).collect(),
            b"IDAT" => data.extend_from_slice(body),
            b"IEND" => break,
            _ => {}
        }
        // The checksum follows.
        rest = tail.get(body.len() + 4..).ok_or_else(short)?;
    }
    let head = head.ok_or("has no head")?;
    let whole = head.rows * (head.stride() + 1);
    let mut raw = Vec::new();
    let inflated = ZlibDecoder::new(&data[..]).take(whole as u64).read_to_end(&mut raw);
    inflated.map_err(|e| format!("cannot be inflated: {e}"))?;
    if raw.len() != whole {
        return Err(short());
    }
    let mut rows = head.unfiltered(&raw)?;
    rows.reverse();
    let mut heights = Vec::new();
    for row in &rows {
        for column in 0..head.columns {
            let value = head.pixel(row, column);
            let known = palette.get(usize::from(value)).copied();
            let of_palette = || known.ok_or("a pixel is beyond the palette");
            heights.push(f64::from(if head.colour == 3 { of_palette()? } else { value }));
        }
    }
    Ok((head.rows, head.columns, heights))
}

struct Head {
    rows: usize,
    columns: usize,
    depth: usize,
    colour: u8,
}

impl Head {
    fn read(body: &[u8], most: usize) -> Result<Self, String> {
        let size = |at: usize| {
            let word: Option<[u8; 4]> = body.get(at..at + 4).and_then(|b| b.try_into().ok());
            word.map(|w| u32::from_be_bytes(w) as usize).ok_or("its head is too short")
        };
        let (columns, rows) = (size(0)?, size(4)?);
        let &[depth, colour, _, _, interlaced, ..] = body.get(8..).unwrap_or_default() else {
            return Err("its head is too short".into());
        };
        if !(1..=most).contains(&columns) || !(1..=most).contains(&rows) {
            return Err(format!("has {columns} × {rows} pixels; at most {most} × {most} are read"));
        }
        let depths: &[u8] = match colour {
            0 => &[1, 2, 4, 8, 16],
            3 => &[1, 2, 4, 8],
            2 | 4 | 6 => &[8, 16],
            _ => &[],
        };
        if !depths.contains(&depth) {
            return Err(format!("has {depth} bits of colour type {colour}, which PNG has not"));
        }
        if interlaced != 0 {
            return Err("is interlaced, which is not read".into());
        }
        Ok(Head { rows, columns, depth: usize::from(depth), colour })
    }

    /// Bits of a pixel.
    fn bits(&self) -> usize {
        let channels = match self.colour {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        };
        channels * self.depth
    }

    /// Bytes of a row.
    fn stride(&self) -> usize {
        (self.columns * self.bits()).div_ceil(8)
    }

    /// The rows without their filters.
    fn unfiltered(&self, raw: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let step = self.bits().div_ceil(8);
        let mut above = vec![0; self.stride()];
        let mut rows = Vec::new();
        for line in raw.chunks_exact(self.stride() + 1) {
            let mut row = line[1..].to_vec();
            for i in 0..row.len() {
                let left = if i >= step { row[i - step] } else { 0 };
                let corner = if i >= step { above[i - step] } else { 0 };
                let add = match line[0] {
                    0 => 0,
                    1 => left,
                    2 => above[i],
                    3 => ((u16::from(left) + u16::from(above[i])) / 2) as u8,
                    4 => paeth(left, above[i], corner),
                    other => return Err(format!("has a filter {other}, which PNG has not")),
                };
                row[i] = row[i].wrapping_add(add);
            }
            above.clone_from(&row);
            rows.push(row);
        }
        Ok(rows)
    }

    /// The first channel of a pixel, as a byte; of a palette, its index.
    fn pixel(&self, row: &[u8], column: usize) -> u8 {
        if self.depth >= 8 {
            return row[column * self.bits() / 8];
        }
        let bit = column * self.depth;
        let most = (1_u16 << self.depth) - 1;
        let value = (u16::from(row[bit / 8]) >> (8 - self.depth - bit % 8)) & most;
        if self.colour == 3 { value as u8 } else { (value * 255 / most) as u8 }
    }
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let [a, b, c] = [left, up, corner].map(i16::from);
    let p = a + b - c;
    let far = |x: i16| (p - x).abs();
    if far(a) <= far(b) && far(a) <= far(c) {
        left
    } else if far(b) <= far(c) {
        up
    } else {
        corner
    }
}
