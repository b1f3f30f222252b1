/** Every bound of the measuring, in milliseconds unless its name says otherwise. One place for each number. */
export const LIMITS = Object.freeze({
  open: 30_000,                // for the browser to open a page: a busy machine may have many in hand
  load: 10_000,                // for the load event
  fonts: 5_000,                // for document.fonts.ready
  pause: 300,                  // after fonts.ready, always
  rest: 3_000,                 // until every selector is present and no box moves
  answer: 10_000,              // for a page to answer a call that does not wait for anything
  handler: 2_000,              // for a handler to return
  batch: 250,                  // for one call that fires events
  after: 100,                  // for a handler to set the flag after its event
  event: 500,                  // for the browser to say what became of a document
  report: 500,                 // kept back from the budget, to write what there is: so much at least,
  report_most: 5_000,          // and so much at most
});
/** So many times, at the most, does a dialog give a page the time for its answer anew. */
export const DIALOGS = 3;
/** A page may navigate itself so many times while it is being measured. */
export const NAVIGATIONS = 3;

/** Thrown where something could not be measured: `stage` says during what, `detail` what was found. */
export class Unmeasurable extends Error {
  constructor(stage, detail) {
    super(`${stage}: ${detail}`);
    this.stage = stage;
    this.detail = detail;
  }
}

/** Thrown where nothing came of something within its own bound, though the budget was not used up. */
export class Silence extends Unmeasurable {}

/** The time that all of the measuring has; every wait shrinks with it. */
export class Budget {
  #end;

  constructor(ms) {
    // A tenth, in between: a machine that is slow to measure is slow to report.
    this.#end = performance.now() + ms - Math.min(LIMITS.report_most, Math.max(LIMITS.report, ms / 10));
  }

  /** At most `ms`, and no more than what is left. */
  clip(ms) {
    return Math.max(0, Math.min(ms, this.#end - performance.now()));
  }

  /** Settles as `promise` does, or rejects with Silence after `ms`, with Unmeasurable once the budget is used up. */
  async within(promise, ms, stage, detail) {
    const left = this.clip(ms);
    let timer;
    const bell = new Promise((_, reject) => {
      timer = setTimeout(() => reject(left < ms
        ? new Unmeasurable('budget', `the time limit was reached (during ${stage}); VISUAL_ARBITER_TIMEOUT_S raises it`)
        : new Silence(stage, detail)), left);
    });
    promise.catch(() => {});                   // it may still fail once nobody waits for it
    try {
      return await Promise.race([promise, bell]);
    } finally {
      clearTimeout(timer);
    }
  }
}
