/**
 * Runs in the isolated world. Waits until the page is at rest and says what it waited for; never throws for a page
 * that does not come to rest.
 *
 * limits: {load, fonts, pause, rest} in ms.  selectors: those whose elements must be there and must not move.
 * Returns {fonts: {ready, wait_ms}, layout_stable, width}: width is the layout viewport's, CSS px.
 */
export async function settle(selectors, limits) {
  const readyState = Object.getOwnPropertyDescriptor(Document.prototype, 'readyState').get;
  const fontsOf = Object.getOwnPropertyDescriptor(Document.prototype, 'fonts').get;
  const query = Document.prototype.querySelector;
  const boxOf = Element.prototype.getBoundingClientRect;
  // Not setTimeout: its numbers are the page's too, and a page that clears all of its timers would clear this one.
  const sleep = (ms) => scheduler.postTask(() => {}, {delay: ms});
  // A background tab may get no frames at all, so a frame is waited for with a timer beside it; and a page at rest gets
  // one at once, before anything had the time to move.
  const frame = () => Promise.all([
    Promise.race([new Promise((resolve) => { requestAnimationFrame(resolve); }), sleep(100)]), sleep(17)]);

  const until = async (condition, ms) => {
    const start = performance.now();
    while (!condition()) {
      if (performance.now() - start >= ms) return false;
      await sleep(5);
    }
    return true;
  };
  // Finite animations are shown at their end and infinite ones as if they were not there; one driven by scrolling
  // has no end of its own and is left where the page's scroll position puts it.
  const finishAnimations = () => {
    for (const animation of Document.prototype.getAnimations.call(document)) {
      if (!(animation.timeline instanceof DocumentTimeline)) continue;
      try {
        const end = animation.effect.getComputedTiming().endTime;
        if (Number.isFinite(end) && animation.playbackRate !== 0) animation.finish();
        else animation.cancel();
      } catch {
        animation.cancel();
      }
    }
  };
  const snapshot = () => {
    const boxes = [];
    let present = true;
    for (const selector of selectors) {
      let node = null;
      try { node = query.call(document, selector); } catch { continue; }
      if (node === null) {
        present = false;
      } else {
        const box = boxOf.call(node);
        boxes.push(box.x, box.y, box.width, box.height);
      }
    }
    return {present, boxes: boxes.join()};
  };

  await until(() => readyState.call(document) === 'complete', limits.load);
  const asked = performance.now();
  const ready = await Promise.race([fontsOf.call(document).ready.then(() => true), sleep(limits.fonts).then(() => false)]);
  const waited = performance.now() - asked;
  await sleep(limits.pause);

  finishAnimations();
  const start = performance.now();
  let [before, present, stable] = [snapshot(), false, false];
  do {
    await frame();
    finishAnimations();
    const now = snapshot();
    present = now.present;
    stable = now.boxes === before.boxes;
    before = now;
  } while (!(present && stable) && performance.now() - start < limits.rest);
  return {fonts: {ready, wait_ms: waited}, layout_stable: stable, width: window.innerWidth};
}
