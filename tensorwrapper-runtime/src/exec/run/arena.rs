//! Memory of a run: results and arenas. For each step it is split into the memory that the step writes and the memory that it
//! reads.

use smallvec::SmallVec;

use crate::exec::plan::{ArenaRange, BufferAssignment, Location};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

/// Memory of one result.
#[derive(Debug)]
pub(super) enum Space<'t> {
    /// Its own.
    Own(Buffer),
    /// Memory of the program, into which the result is written.
    Lent(SliceMut<'t>),
}

impl Space<'_> {
    pub(super) fn as_ref(&self) -> SliceRef<'_> {
        match self {
            Space::Own(buffer) => buffer.as_ref(),
            Space::Lent(slice) => slice.as_ref(),
        }
    }

    pub(super) fn as_mut(&mut self) -> SliceMut<'_> {
        match self {
            Space::Own(buffer) => buffer.as_mut(),
            Space::Lent(slice) => slice.reborrow(),
        }
    }
}

/// Memory of intermediates, used by one run after the other.
#[derive(Debug)]
pub(super) struct Arenas(SmallVec<[Buffer; 1]>);

impl Arenas {
    /// Memory as this assignment needs it.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) when the system has none.
    pub(super) fn new(buffers: &BufferAssignment) -> Result<Arenas, Error> {
        buffers.arenas.iter().map(|&(dtype, len)| Buffer::for_results(dtype, len)).collect::<Result<_, _>>().map(Arenas)
    }
}

/// All memory of a run but the sources'.
#[derive(Debug)]
pub(super) struct Memory<'m, 't> {
    pub(super) results: &'m mut [Space<'t>],
    pub(super) arenas: &'m mut Arenas,
}

/// Outputs of a step.
pub(super) type Outputs<'a> = SmallVec<[SliceMut<'a>; 1]>;

/// All memory that a step may read: that of its outputs is left out.
#[derive(Debug)]
pub(super) struct Readable<'a> {
    sources: &'a [SliceRef<'a>],
    /// The results that the step does not write, as slices, each with the number of its first result.
    results: SmallVec<[(usize, &'a [Space<'a>]); 2]>,
    /// The parts of arenas that the step does not write, each with the number of its arena and its first element.
    left: SmallVec<[(usize, usize, SliceRef<'a>); 3]>,
}

impl Memory<'_, '_> {
    /// Cuts the memory of a step's outputs out of all memory.
    pub(super) fn cut<'a>(&'a mut self, sources: &'a [SliceRef<'a>], locations: &[Location]) -> (Outputs<'a>, Readable<'a>) {
        let mut readable = Readable { sources, results: SmallVec::new(), left: SmallVec::new() };
        let mut written: SmallVec<[Option<SliceMut<'a>>; 1]> = locations.iter().map(|_| None).collect();
        let own = locations.iter().enumerate().filter_map(|(output, location)| match location {
            Location::Result(n) => Some((*n, output)),
            _ => None,
        });
        let mut own: SmallVec<[(usize, usize); 1]> = own.collect();
        own.sort_unstable();
        // A step has few outputs where a plan may have many results, so the row is cut and not walked.
        let (mut rest, mut at) = (&mut *self.results, 0);
        for (n, output) in own {
            let (before, behind) = rest.split_at_mut(n - at);
            let (space, behind) = behind.split_first_mut().expect("a plan has memory for each result");
            readable.results.push((at, before));
            written[output] = Some(space.as_mut());
            (rest, at) = (behind, n + 1);
        }
        readable.results.push((at, rest));
        for (arena, buffer) in self.arenas.0.iter_mut().enumerate() {
            let pieces = locations.iter().enumerate().filter_map(|(output, location)| match location {
                Location::Arena(piece) if piece.arena == arena => Some((piece.start, piece.end, output)),
                _ => None,
            });
            let mut pieces: SmallVec<[(usize, usize, usize); 1]> = pieces.collect();
            pieces.sort_unstable();
            let (mut rest, mut at) = (buffer.as_mut(), 0);
            for (start, end, output) in pieces {
                let (before, behind) = rest.split(start - at);
                let (own, behind) = behind.split(end - start);
                readable.left.push((arena, at, before.into_ref()));
                written[output] = Some(own);
                (rest, at) = (behind, end);
            }
            readable.left.push((arena, at, rest.into_ref()));
        }
        let outputs = written.into_iter().map(|output| output.expect("what a step writes is a result or a piece of an arena"));
        (outputs.collect(), readable)
    }
}

impl<'a> Readable<'a> {
    /// The memory of a tensor that no output shares.
    pub(super) fn read(&self, location: Location) -> SliceRef<'a> {
        match location {
            Location::Source(slot) => self.sources[slot],
            Location::Result(n) => {
                let found = self.results.iter().find_map(|&(first, row)| row.get(n.checked_sub(first)?));
                found.expect("no step reads the result that it writes").as_ref()
            }
            Location::Arena(ArenaRange { arena, start, end }) => {
                let holds = |&&(own, from, data): &&(usize, usize, SliceRef<'a>)| {
                    own == arena && from <= start && end <= from + data.len()
                };
                let &(_, from, data) = self.left.iter().find(holds).expect("what is there at once shares no place");
                data.range(start - from..end - from)
            }
        }
    }
}
