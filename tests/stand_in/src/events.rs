//! Events: marks in a stream, with the time at which they came.

use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream};

use crate::driver::current;
use crate::streams::{self, Work};
use crate::{export, forbidden};

#[derive(Clone)]
struct Event {
    is_timed: bool,
    /// Its stream, and the work there behind which it comes.
    recorded: Option<(usize, usize)>,
    came: Arc<Mutex<Option<Instant>>>,
}

struct Events {
    there: BTreeMap<usize, Event>,
    made: usize,
}

static EVENTS: Mutex<Events> = Mutex::new(Events { there: BTreeMap::new(), made: 0 });

fn all() -> MutexGuard<'static, Events> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Events {
    fn get(&mut self, event: CUevent) -> &mut Event {
        match self.there.get_mut(&(event as usize)) {
            Some(event) => event,
            None => forbidden!("there is no event {event:?}"),
        }
    }
}

pub(crate) fn reset() {
    all().there.clear();
}

pub(crate) fn events() -> usize {
    all().there.len()
}

/// When an event came.
fn time(event: CUevent) -> Instant {
    let event = all().get(event).clone();
    let came = *event.came.lock().unwrap_or_else(PoisonError::into_inner);
    match came {
        Some(came) if event.is_timed => came,
        _ => forbidden!("the time of an event is asked for that has none, or has not come"),
    }
}

export! { sys;
    fn cuEventCreate(event: *mut CUevent, flags: c_uint) -> CUresult {
        current();
        let is_timed = flags & CUevent_flags::CU_EVENT_DISABLE_TIMING as u32 == 0;
        let mut all = all();
        all.made += 1;
        let number = all.made;
        all.there.insert(number, Event { is_timed, recorded: None, came: Arc::default() });
        *event = number as CUevent;
        Ok(())
    }
    fn cuEventRecord(event: CUevent, stream: CUstream) -> CUresult {
        let mark = streams::mark(stream);
        let came = Arc::default();
        let mut all = all();
        let found = all.get(event);
        // It itself is work of the stream.
        found.recorded = Some((stream as usize, mark + 1));
        found.came = Arc::clone(&came);
        drop(all);
        streams::queue(stream, Work::new(move || {
            *came.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            Ok(())
        }));
        Ok(())
    }
    fn cuEventSynchronize(event: CUevent) -> CUresult {
        let recorded = all().get(event).recorded;
        match recorded {
            Some((stream, mark)) => streams::catch_up(stream, mark),
            None => Ok(()),
        }
    }
    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: CUevent, end: CUevent) -> CUresult {
        *milliseconds = time(end).duration_since(time(start)).as_secs_f32() * 1e3;
        Ok(())
    }
    fn cuEventDestroy_v2(event: CUevent) -> CUresult {
        let mut all = all();
        all.get(event);
        all.there.remove(&(event as usize));
        Ok(())
    }
}
