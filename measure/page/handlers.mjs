/**
 * Runs in the isolated world: fires events at the nodes that were measured and notes whose handler answered.
 *
 * nodes: the elements measured.  shots: [{node: index into nodes, events: [type, …], proven}], in firing order.
 * secret: the name under which the witness (witness.mjs) is asked.  settings: {batch_ms, after_ms}.
 *
 * A shot's outcome is one of
 *   unfired
 *   ran       the flag was there when dispatchEvent returned: it can only be this event's
 *   late      it came afterwards, while other events may have been under way: to be fired again, alone
 *   alone     it came afterwards, and no other event was under way
 *   doubtful  the same, but what an earlier event of this document started may have set it: to be fired in one of its own
 *   silent    it did not come within after_ms
 *   waiting   fired, and nothing came yet
 *   stuck     the flag could not be taken away before the event, or comes without it, so it proves nothing
 * Returns an object that keeps what was found, so that a call which had to be stopped loses nothing.
 */
export function firing(nodes, shots, secret, settings) {
  const OPERATIONS = ['register', 'arm', 'ran', 'disarm'];    // the same order as in the witness
  const TURN_MS = 5;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const boxOf = Element.prototype.getBoundingClientRect;
  const connected = Object.getOwnPropertyDescriptor(Node.prototype, 'isConnected').get;
  // Not setTimeout: its numbers are the page's too, and a page that clears all of its timers would clear this one.
  const sleep = (ms) => scheduler.postTask(() => {}, {delay: ms});
  const ask = (target, operation, number) => !dispatch.call(target, new CustomEvent(
    secret, {detail: number * OPERATIONS.length + OPERATIONS.indexOf(operation), cancelable: true}));

  // Event classes by name (UI Events, Pointer Events, HTML, CSS Animations); what no standard names is a CustomEvent.
  const classes = [
    [/^(click|auxclick|contextmenu|(got|lost)pointercapture|pointer.+)$/, PointerEvent],
    [/^(dblclick|mouse(down|up|move|over|out|enter|leave))$/, MouseEvent],
    [/^(wheel|mousewheel)$/, WheelEvent],
    [/^(drag|drag(start|end|enter|leave|over)|drop)$/, DragEvent],
    [/^touch(start|end|move|cancel)$/, window.TouchEvent],
    [/^key(down|up|press)$/, KeyboardEvent],
    [/^(focus|blur|focusin|focusout)$/, FocusEvent],
    [/^(beforeinput|input)$/, InputEvent],
    [/^composition(start|update|end)$/, CompositionEvent],
    [/^(copy|cut|paste)$/, ClipboardEvent],
    [/^submit$/, SubmitEvent],
    [/^(before)?toggle$/, window.ToggleEvent],
    [/^animation(start|end|iteration|cancel)$/, AnimationEvent],
    [/^transition(run|start|end|cancel)$/, TransitionEvent],
    [/^(change|reset|invalid|select|load|error|scroll|scrollend|resize|close|cancel|search|play|pause|ended)$/, Event],
    [/^/, CustomEvent],
  ];
  const stays = /^((mouse|pointer)(enter|leave)|focus|blur|load|error|invalid|scroll|scrollend|resize|close|cancel|(before)?toggle|play|pause|ended)$/;
  const final = /^((mouse|pointer)(enter|leave)|focus|blur|focusin|focusout|input|change|select|load|error|scroll|scrollend|resize|close|toggle|play|pause|ended)$/;
  const eventFor = (type, node) => {
    const Class = classes.find(([name, found]) => found !== undefined && name.test(type))[1];
    const box = boxOf.call(node);
    return new Class(type, {
      bubbles: !stays.test(type),
      cancelable: !final.test(type),
      composed: true,
      view: window,
      detail: {click: 1, mousedown: 1, mouseup: 1, dblclick: 2}[type] ?? 0,
      clientX: box.x + box.width / 2,
      clientY: box.y + box.height / 2,
      ...(Class === KeyboardEvent ? {key: 'Enter', code: 'Enter', keyCode: 13, which: 13} : {}),
      ...(Class === PointerEvent ? {pointerId: 1, pointerType: 'mouse', isPrimary: true} : {}),
    });
  };

  const nodeOf = (number) => nodes[shots[number].node];
  const outcomes = shots.map(() => 'unfired');
  let next = 0;
  let current = null;                         // the shot whose handlers are running
  let waiting = [];                           // shots whose handler may still set the flag
  let first = null;                           // the shot before which nothing was fired at this document
  let controlled = false;
  shots.forEach((shot, number) => { ask(nodeOf(number), 'register', number); });

  const fire = (number) => {
    const node = nodeOf(number);
    const {events, proven} = shots[number];
    current = number;
    first ??= number;
    outcomes[number] = 'waiting';
    for (const type of events) {
      if (!ask(window, 'arm', number)) outcomes[number] = 'stuck';
      dispatch.call(node, eventFor(type, node));
      if (outcomes[number] === 'waiting' && ask(window, 'ran', number)) outcomes[number] = 'ran';
    }
    ask(window, 'disarm', number);
    current = null;
    if (outcomes[number] !== 'waiting') return;
    // Proven elements are wired whatever their handler does later: nobody waits for them.
    if (proven) outcomes[number] = 'silent';
    else waiting.push(number);
  };
  const wait = async (alone) => {
    // Counted in turns, not by the clock: on a machine that stood still, the page's timers are due as late as these.
    for (let left = settings.after_ms; waiting.length > 0 && left > 0; left -= TURN_MS) {
      await sleep(TURN_MS);
      waiting = waiting.filter((number) => {
        if (!ask(window, 'ran', number)) return true;
        if (alone) outcomes[number] = number === first ? 'alone' : 'doubtful';
        else outcomes[number] = 'late';
        return false;
      });
    }
    // Where the witness is gone, silence says nothing: they stay 'waiting'.
    if (ask(window, 'disarm', 0)) for (const number of waiting) outcomes[number] = 'silent';
    waiting = [];
  };

  /** The shots whose flag comes while nothing is fired, set by a timer of the page's, say; null: nobody can know. */
  const noisyOf = async (numbers) => {
    const fixed = numbers.filter((number) => !ask(window, 'arm', number) && connected.call(nodeOf(number)));
    await sleep(settings.after_ms);
    const noisy = new Set([...fixed, ...numbers.filter((number) => ask(window, 'ran', number))]);
    return ask(window, 'disarm', 0) ? noisy : null;
  };

  return {
    state: () => ({outcomes, current}),
    /**
     * Fires for batch_ms at the most. Returns {how, outcomes}: how it ended is 'done', 'more', or 'lost' where the
     * document or the next node is no longer what was measured. `alone`: waits for each shot before it fires the next.
     */
    async run(alone) {
      let [lost, fired] = [false, 0];
      current = null;
      waiting = [];
      if (alone && !controlled) {
        for (const number of await noisyOf([...shots.keys()]) ?? []) outcomes[number] = 'stuck';
        controlled = true;
      }
      const end = performance.now() + settings.batch_ms;
      while (next < shots.length && (fired === 0 || performance.now() < end)) {
        if (outcomes[next] === 'stuck') {
          next += 1;
          continue;
        }
        if (waiting.some((number) => nodeOf(number) === nodeOf(next))) await wait(alone);
        lost = !connected.call(nodeOf(next)) || !ask(window, 'disarm', next);
        if (lost) break;
        fire(next);
        next += 1;
        fired += 1;
        if (alone) await wait(alone);
      }
      await wait(alone);
      if (next === shots.length) {
        const doubtful = [...shots.keys()].filter((number) => outcomes[number] === 'doubtful');
        const noisy = doubtful.length > 0 ? await noisyOf(doubtful) : null;
        for (const number of doubtful) if (noisy?.has(number) === false) outcomes[number] = 'alone';
      }
      const rest = next < shots.length ? 'more' : 'done';
      return {how: lost ? 'lost' : rest, outcomes};
    },
    /** Goes on behind the shot whose handler had to be stopped. */
    skip() { next = current + 1; },
  };
}

/** Runs in the isolated world, from the start of every document: what Fetch cannot hold off while events are fired. */
export function holdNavigation(gate) {
  if (window !== window.parent) return;
  globalThis[gate] = false;
  EventTarget.prototype.addEventListener.call(window.navigation, 'navigate', (event) => {
    if (globalThis[gate] && event.cancelable && !event.hashChange && !event.destination.sameDocument) event.preventDefault();
  }, true);
}
