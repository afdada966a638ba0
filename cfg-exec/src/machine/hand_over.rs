//! Progress of loops with checkpoints that programs hand over.

use super::{Limits, Machine, slow_path::tape_fault};
use crate::{
    code::Reg,
    fault::Fault,
    restart::{HandOver, NotTaken, Progress},
    tape::Tape,
};

impl Machine {
    /// Hands over the progress of a loop: in a row of registers lie the handles of its tape and its journal and the
    /// numbers that are told. The answer comes into the first one. `program` is the fingerprint of the program.
    pub(super) fn hand_over(
        &mut self,
        program: u64,
        event: HandOver,
        row: Reg,
    ) -> Result<(), Box<Fault>> {
        let first = self.now.registers + usize::from(row);
        let [tape, journal, run, reversed, steps] =
            std::array::from_fn(|k| self.registers.get(first + k).copied().unwrap_or_default());
        let answer = match event {
            HandOver::Begin => self.keeper.begin(),
            HandOver::Due => self.keeper.is_due(Progress {
                run: run as i64,
                reversed: reversed as i64,
                steps: steps as i64,
            }),
            HandOver::End => self.keeper.end(),
            HandOver::Load => self.load_progress(program, [tape, journal])?,
            HandOver::Save => {
                self.save_progress([tape, journal])?;
                false
            }
        };
        self.set_register(row, u64::from(answer));
        Ok(())
    }

    /// Keeps the progress that lies on the tapes, and leaves the journal empty.
    fn save_progress(&mut self, handles: [u64; 2]) -> Result<(), Box<Fault>> {
        let limits = self.limits;
        let [tape, journal] = both(&mut self.tapes, handles)?;
        let saved = self.keeper.save([tape, &mut *journal]);
        saved.map_err(|reason| reason.fault(limits))?;
        let emptied = journal.replace(journal.another(), &mut self.meter);
        emptied.map_err(|error| tape_fault(error, limits))
    }

    /// Takes the progress of a former run onto the tapes, if there is any; else the journal is empty then.
    fn load_progress(&mut self, program: u64, handles: [u64; 2]) -> Result<bool, Box<Fault>> {
        let limits = self.limits;
        let [tape, journal] = both(&mut self.tapes, handles)?;
        let where_to = (&self.meter, self.folder.as_deref());
        let loaded = (self.keeper).load(program, [&mut *tape, &mut *journal], where_to);
        let loaded = loaded.map_err(|reason| reason.fault(limits))?;
        let is_loaded = loaded.is_some();
        let replaced = match loaded {
            Some([first, second]) => (tape.replace(first, &mut self.meter))
                .and_then(|()| journal.replace(second, &mut self.meter)),
            None => journal.replace(journal.another(), &mut self.meter),
        };
        replaced.map_err(|error| tape_fault(error, limits))?;
        Ok(is_loaded)
    }
}

impl NotTaken {
    fn fault(self, limits: Option<Limits>) -> Box<Fault> {
        match self {
            Self::Fault(fault) => Box::new(fault),
            Self::NoRoom(error) => tape_fault(error, limits),
        }
    }
}

/// The tapes with these handles.
fn both(tapes: &mut [Tape], handles: [u64; 2]) -> Result<[&mut Tape; 2], Fault> {
    let found = tapes.get_disjoint_mut(handles.map(|handle| handle as usize));
    found.map_err(|_| Fault::Absent(None))
}
