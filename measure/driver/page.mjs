/** One page in a browser context of its own: pinned, guarded, and callable in both JavaScript worlds. */
import {randomBytes} from 'node:crypto';
import {readBoxes} from '../page/boxes.mjs';
import {frameworks} from '../page/frameworks.mjs';
import {firing, holdNavigation} from '../page/handlers.mjs';
import {measure} from '../page/measure.mjs';
import {settle} from '../page/settle.mjs';
import {readTokens} from '../page/tokens.mjs';
import {witness} from '../page/witness.mjs';
import {DIALOGS, LIMITS, Silence, Unmeasurable} from './limits.mjs';
import {nameOf, plainListener, wiringOf} from './wiring.mjs';

const WORLD = 'design-arbiter';
const FLAG = '__arbiter_handler_ran';
// Random, so that a page can neither listen for it nor answer in the witness's place.
const SECRET = `arbiter-${randomBytes(16).toString('hex')}`;
// Nodes as what they are, with their ids, without what is inside them.
const NODES = {serialization: 'deep', maxDepth: 1, additionalParameters: {maxNodeDepth: 0, includeShadowTree: 'none'}};
const call = (fn, ...args) => `(${fn})(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
const LIBRARY = `({${Object.entries({settle, readBoxes, readTokens, measure, firing}).map(([name, fn]) => `${name}: ${fn}`).join(',\n')}})`;

export class Page {
  #browser; #session; #context; #target; #frame; #budget;
  #loader = null;                              // of the document that is shown
  #responses = new Map();                      // loader id -> {status, failure}
  #memory = null;                              // object id of the library in the isolated world
  #witness = null;                             // object id of the witness in the page's world
  #window = [];                                // the listeners of the window, when the page was aimed at
  #crashed = false;
  #holding = false;
  #dialogs = 0;                                // shown so far
  #changed = () => {};

  /** browser: a puppeteer Connection.  breakpoint: {width, height, device_pixel_ratio}, CSS px. */
  static async open(browser, breakpoint, budget) {
    const page = new Page();
    page.#browser = browser;
    page.#budget = budget;
    await budget.within(page.#start(breakpoint), LIMITS.open, 'browser', 'the browser did not open a page in time');
    return page;
  }

  async #start({width, height, device_pixel_ratio: ratio}) {
    const browser = this.#browser;
    ({browserContextId: this.#context} = await browser.send('Target.createBrowserContext', {disposeOnDetach: true}));
    ({targetId: this.#target} = await browser.send(
      'Target.createTarget', {url: 'about:blank', browserContextId: this.#context, width, height}));
    const {sessionId} = await browser.send('Target.attachToTarget', {targetId: this.#target, flatten: true});
    this.#frame = this.#target;                // a page target's main frame has the target's id
    const session = this.#session = browser.session(sessionId);
    this.#listen(session);
    // One after the other to the browser, without waiting for each answer.
    await Promise.all([
      session.send('Page.enable'),
      session.send('Inspector.enable'),
      session.send('Network.enable', {maxTotalBufferSize: 0, maxResourceBufferSize: 0}),
      session.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: ratio, mobile: false}),
      session.send('Emulation.setScrollbarsHidden', {hidden: true}),
      session.send('Emulation.setFocusEmulationEnabled', {enabled: true}),
      session.send('Emulation.setTimezoneOverride', {timezoneId: 'UTC'}),
      session.send('Emulation.setLocaleOverride', {locale: 'en-US'}),
      session.send('Emulation.setEmulatedMedia', {features: [
        {name: 'prefers-color-scheme', value: 'light'}, {name: 'prefers-reduced-motion', value: 'reduce'}]}),
      session.send('Page.addScriptToEvaluateOnNewDocument', {source: `(${witness})(${JSON.stringify(SECRET)}, ${JSON.stringify(FLAG)}, ${call(frameworks)})`}),
      session.send('Page.addScriptToEvaluateOnNewDocument', {source: call(holdNavigation, SECRET), worldName: WORLD}),
      browser.send('Browser.setDownloadBehavior', {behavior: 'deny', browserContextId: this.#context}),
    ]);
  }

  #listen(session) {
    const ignore = () => {};
    session.on('Page.javascriptDialogOpening', ({type}) => {
      this.#dialogs += 1;
      session.send('Page.handleJavaScriptDialog', {accept: type === 'beforeunload'}).catch(ignore);
    });
    session.on('Network.responseReceived', ({type, frameId, loaderId, response}) => {
      if (type !== 'Document' || frameId !== this.#frame) return;
      this.#responses.set(loaderId, {...this.#responses.get(loaderId), status: response.status});
      this.#changed();
    });
    session.on('Network.loadingFailed', ({requestId, type, errorText}) => {
      if (type !== 'Document') return;
      this.#responses.set(requestId, {...this.#responses.get(requestId), failure: errorText});
    });
    session.on('Page.frameNavigated', ({frame}) => {
      if (frame.id !== this.#frame) return;
      this.#loader = frame.loaderId;
      this.#memory = this.#witness = null;
      this.url = frame.url;
      this.#changed();
    });
    session.on('Inspector.targetCrashed', () => { this.#crashed = true; this.#changed(); });
    session.on('Fetch.requestPaused', ({requestId, frameId}) => {
      const answer = this.#holding && frameId === this.#frame
        ? session.send('Fetch.failRequest', {requestId, errorReason: 'Aborted'})
        : session.send('Fetch.continueRequest', {requestId});
      answer.catch(ignore);
    });
    this.#browser.on('Target.targetCreated', this.#closePopUp);
  }

  #closePopUp = ({targetInfo}) => {
    if (targetInfo.openerId === this.#target) {
      this.#browser.send('Target.closeTarget', {targetId: targetInfo.targetId}).catch(() => {});
    }
  };

  /** Shows `url`. Raises Unmeasurable where what came is not the product. */
  async navigate(url) {
    this.url = url;
    const {errorText, isDownload, loaderId} = await this.#budget.within(
      this.#session.send('Page.navigate', {url}), LIMITS.load, 'navigation', 'no answer came in time');
    if (isDownload) throw new Unmeasurable('navigation', 'a download came in place of a page; expected a document that Chrome shows');
    if (errorText) throw new Unmeasurable('navigation', `${errorText}; expected a page that answers at built_product_url`);
    await this.#budget.within(this.#shown(loaderId), LIMITS.load, 'navigation', 'no document came in time');
  }

  /** The answer to Page.navigate comes before the events of the document that it names. */
  async #shown(loaderId) {
    while (!this.#responses.has(loaderId) || this.#loader === null) {
      await new Promise((resolve) => { this.#changed = resolve; });
    }
  }

  /** Raises Unmeasurable where the document that is shown is not the product's. */
  checkDocument(requested) {
    const [asked, shown] = [new URL(requested), new URL(this.url)];
    const {status = null, failure = null} = this.#responses.get(this.#loader) ?? {};
    if (failure !== null) throw new Unmeasurable('navigation', `the document broke off: ${failure}; expected a whole one`);
    if (asked.protocol !== shown.protocol || asked.host !== shown.host) {
      const port = asked.hostname === shown.hostname && asked.protocol === shown.protocol ? ', on another port' : '';
      throw new Unmeasurable('navigation', `the page is on another origin: ${shown.protocol}//${shown.hostname}${port}; expected that of built_product_url`);
    }
    if (shown.protocol === 'file:') {
      if (shown.pathname.endsWith('/')) throw new Unmeasurable('navigation', 'a directory listing came in place of a page; expected a file such as index.html');
    } else if (status === null || !((status >= 200 && status < 300) || status === 304)) {
      throw new Unmeasurable('navigation', status === null ? 'the page came without an HTTP response; expected one to built_product_url' : `the server answered with HTTP status ${status}, expected 200 to 299 or 304`);
    }
  }

  /**
   * Calls a function of the page folder, in the isolated world. Raises DocumentLost where the document goes away
   * meanwhile, Unmeasurable where no answer comes within `ms`, or the renderer crashed.
   */
  async call(method, args, ms) {
    this.#memory ??= await this.#guarded(() => this.#install(), LIMITS.load);
    return this.#guarded(() => this.#on(
      this.#memory, 'function (method, ...args) { return this[method](...args); }', [method, ...args]), ms);
  }

  async #install() {
    const {executionContextId} = await this.#session.send(
      'Page.createIsolatedWorld', {frameId: this.#frame, worldName: WORLD});
    const {result} = await this.#session.send('Runtime.evaluate', {expression: LIBRARY, contextId: executionContextId});
    return result.objectId;
  }

  async #on(objectId, functionDeclaration, args, returnByValue = true) {
    const {result, exceptionDetails} = await this.#session.send('Runtime.callFunctionOn', {
      objectId, functionDeclaration, arguments: args.map((value) => ({value})), awaitPromise: true, returnByValue});
    if (exceptionDetails) {
      throw new Unmeasurable('page', exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return returnByValue ? result.value : result;
  }

  /** Awaits `work`; where it fails because the document went away, that is what is thrown. */
  async #guarded(work, ms) {
    const before = this.#loader;
    try {
      return await this.#answer(work(), ms);
    } catch (error) {
      const refused = !(error instanceof Unmeasurable);
      if (!refused && !(error instanceof Silence)) throw error;
      if (refused) await this.#explained(before);
      if (this.#crashed) throw new Unmeasurable('page', 'the renderer crashed; expected it to live (is there memory enough, and /dev/shm?)');
      // Not every way of replacing a document is announced: whatever else the protocol refuses to do with what it
      // handed out a moment ago means that it is gone.
      if (this.#loader !== before || refused) {
        this.#memory = this.#witness = null;
        throw new DocumentLost();
      }
      throw error;
    }
  }

  /** Settles as `promise` does. A page that shows a dialog is not silent: it waits for the dialog to be closed. */
  async #answer(promise, ms) {
    for (let renewed = 0; ; renewed += 1) {
      const shown = this.#dialogs;
      try {
        return await this.#budget.within(promise, ms, 'page', 'the page did not answer in time');
      } catch (error) {
        if (!(error instanceof Silence) || this.#dialogs === shown || renewed === DIALOGS) throw error;
      }
    }
  }

  /** The protocol's refusal may come before the event that explains it. */
  async #explained(before) {
    if (this.#loader !== before || this.#crashed || this.#session.detached) return;
    await new Promise((resolve) => { this.#changed = resolve; setTimeout(resolve, this.#budget.clip(LIMITS.event)); });
  }

  /**
   * Readies the page for firing at the nodes of `shots`: from now on nothing leaves this document, navigation,
   * submission and reload are held off.
   */
  async aim(shots) {
    const session = this.#session;
    const settings = {batch_ms: LIMITS.batch, after_ms: LIMITS.after};
    this.#holding = true;
    await this.#guarded(async () => {
      // First of all: in a page without scripts, this is what makes its world, and the witness in it.
      const {result: self} = await session.send('Runtime.evaluate', {expression: 'this', objectGroup: WORLD});
      const [{listeners}] = await Promise.all([
        // The witness is reached through the browser's own list of listeners, where no page can look.
        session.send('DOMDebugger.getEventListeners', {objectId: self.objectId}),
        session.send('Fetch.enable', {patterns: [{resourceType: 'Document', requestStage: 'Request'}]}),
        session.send('Page.resetNavigationHistory'),
        this.#on(this.#memory, 'function (gate, ...args) { globalThis[gate] = true; this.fire = this.firing(this.nodes, ...args); }', [SECRET, shots, SECRET, settings]),
      ]);
      const ours = listeners.find(({type}) => type === SECRET);
      this.#witness = ours?.handler?.objectId ?? null;
      this.#window = listeners.filter(({scriptId}) => scriptId !== ours?.scriptId).map(plainListener);
    }, LIMITS.answer);
    if (this.#witness === null) throw new DocumentLost();
  }

  async fire(method, args, ms) {
    return this.#guarded(
      () => this.#on(this.#memory, 'function (method, ...args) { return this.fire[method](...args); }', [method, ...args]), ms);
  }

  /** Asks the witness directly: {ran, errors}, each by number of the shot. */
  async testify(ms) {
    return this.#guarded(
      () => this.#on(this.#witness, 'function (question) { return this(question); }', ['report']), ms);
  }

  /** How the nodes of the shots are wired for their events, in the order of the shots: see wiringOf. */
  async wiring(shots) {
    return this.#guarded(async () => {
      const session = this.#session;
      const wanted = shots.map(({events}) => events);
      const [survey, listeners] = await Promise.all([
        this.#on(this.#witness, 'function (question, wanted) { return this(question, wanted); }', ['survey', wanted], false),
        this.#allListeners()]);
      const pick = async (indexes) => {
        const {result} = await session.send('Runtime.callFunctionOn', {
          objectId: survey.objectId, functionDeclaration: 'function (indexes) { return this.pick(indexes); }',
          arguments: [{value: indexes}], serializationOptions: NODES});
        return result.deepSerializedValue.value.map(({value}) => (
          {name: nameOf(value), listeners: listeners.get(value.backendNodeId) ?? []}));
      };
      const [plain, nodes] = await Promise.all([
        this.#on(survey.objectId, 'function () { return this.plain; }', []), pick(null)]);
      return wiringOf(shots, plain, nodes, pick, {name: 'window', listeners: this.#window});
    }, LIMITS.answer);
  }

  /** The listeners of every node, by its backend id: one call, for one call for each node takes ten times as long. */
  async #allListeners() {
    const {result: root} = await this.#session.send('Runtime.evaluate', {expression: 'document', objectGroup: WORLD});
    const {listeners} = await this.#session.send('DOMDebugger.getEventListeners', {objectId: root.objectId, depth: -1});
    const byNode = new Map();
    for (const {backendNodeId, ...listener} of listeners) {
      if (!byNode.has(backendNodeId)) byNode.set(backendNodeId, []);
      byNode.get(backendNodeId).push(plainListener(listener));
    }
    return byNode;
  }

  /** Ends the script that is running, whoever's it is. */
  async stopScript() {
    await this.#guarded(() => this.#session.send('Runtime.terminateExecution'), LIMITS.answer);
  }

  /** The context goes, with everything that the page stored or opened in it. */
  close() {
    this.#browser.off('Target.targetCreated', this.#closePopUp);
    this.closed ??= this.#browser.send('Target.disposeBrowserContext', {browserContextId: this.#context}).catch(() => {});
    return this.closed;
  }
}

/** The document that was being measured is no longer there. */
export class DocumentLost extends Error {}
