/** Fires the declared events at one page and notes what answered; a page that is lost on the way is loaded anew. */
import {LIMITS, Silence, Unmeasurable} from './limits.mjs';
import {DocumentLost} from './page.mjs';

/**
 * page: aimed at all the shots, nothing fired yet.  shots: [{node, events, proven}] in firing order.
 * reload(numbers): a fresh page, aimed at these shots.
 * Returns per shot {handler_ran, error, handler_hung} and how it is wired (wiringOf). Raises Unmeasurable where a shot
 * cannot be fired, or nobody can know what came of it.
 */
export async function fireShots(page, shots, reload) {
  const found = shots.map(() => ({handler_ran: false, error: null, handler_hung: false}));
  let together = shots.map((_, number) => number);   // to be fired one behind the other
  let alone = [];                                    // to be fired with nothing else under way
  let apart = [];                                    // to be fired with nothing else before it
  let fresh = page;

  (await fresh.wiring(shots)).forEach((wiring, number) => Object.assign(found[number], wiring));
  while (together.length > 0 || alone.length > 0 || apart.length > 0) {
    const single = together.length === 0;
    const wanted = [together, alone, apart.slice(0, 1)].find((queue) => queue.length > 0);
    fresh ??= await reload(wanted);
    const outcomes = await volley(fresh, wanted, single, found);
    void fresh.close();
    fresh = null;
    const unfired = wanted.filter((_, i) => outcomes[i] === 'unfired');
    const unsure = wanted.filter((_, i) => outcomes[i] === 'late' || outcomes[i] === 'waiting');
    if (unfired.length === wanted.length || (single && unsure.length > 0)) {
      throw new Unmeasurable('firing', `the document was lost when ${shots[wanted[0]].events[0]} was fired; expected a handler that does not replace it`);
    }
    const doubtful = wanted.filter((_, i) => outcomes[i] === 'doubtful');
    apart = [...apart.filter((number) => !wanted.includes(number)), ...doubtful];
    if (single) alone = unfired;
    else [together, alone] = [unfired, [...alone, ...unsure]];
  }
  return found;
}

/** Fires the wanted shots for as long as the document lasts. Returns the outcome of each, in their order. */
async function volley(page, wanted, single, found) {
  let outcomes = wanted.map(() => 'unfired');
  try {
    for (let how = 'more'; how === 'more';) {
      try {
        ({how, outcomes} = await page.fire('run', [single], LIMITS.batch + LIMITS.after + LIMITS.handler));
      } catch (error) {
        if (!(error instanceof Silence)) throw error;
        await page.stopScript();
        const state = await page.fire('state', [], LIMITS.answer);
        ({outcomes} = state);
        // Whose script it was is only known while a shot's handlers were running.
        how = state.current === null ? 'lost' : 'more';
        if (state.current !== null) {
          found[wanted[state.current]].handler_hung = true;
          await page.fire('skip', [], LIMITS.answer);
        }
      }
    }
    const {ran, errors} = await report(page);
    const first = outcomes.findIndex((outcome) => outcome !== 'stuck');
    outcomes = outcomes.map((outcome, i) => (
      outcome === 'waiting' && (single || found[wanted[i]].handler_hung) ? settled(ran[i], single, i === first) : outcome));
    wanted.forEach((number, i) => { found[number].error ??= errors[i] ?? null; });
  } catch (error) {
    if (!(error instanceof DocumentLost)) throw error;
    // What was fired since the last report is not known.
    outcomes = outcomes.map((outcome) => (outcome === 'unfired' ? 'waiting' : outcome));
  }
  wanted.forEach((number, i) => { found[number].handler_ran ||= outcomes[i] === 'ran' || outcomes[i] === 'alone'; });
  return outcomes;
}

/** A handler may have left something behind that keeps the page busy for ever. */
async function report(page) {
  try {
    return await page.testify(LIMITS.handler);
  } catch (error) {
    if (!(error instanceof Silence)) throw error;
    await page.stopScript();
    return page.testify(LIMITS.answer);
  }
}

/** The witness itself still answers where the events by which it is asked no longer reach it. */
function settled(ran, single, first) {
  if (!ran) return 'silent';
  if (!single) return 'late';
  return first ? 'alone' : 'doubtful';
}
