import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PACKAGE } from './build-layout.mjs';
import { logText } from './dev-log.mjs';

const ENTRY = join(PACKAGE, 'scripts', 'dev-process.mjs');

/** How long the server before may take to end, ms. All that it acknowledged is on disk. */
const PATIENCE = 1000;

/** How long after a start the next server loads the engine, ms. */
const CALM = 300;

/**
 * The server that serves, and one that waits with the engine loaded. A server takes the place of
 * the one before only when it could load the project.
 */
export class DevServers {
  #root;
  #serving;
  #waiting;
  #port = null;
  #timer;
  #onEnd;

  /** `onEnd` is called when the server ends by itself, with its exit code or signal. */
  constructor(root, onEnd) {
    this.#root = root;
    this.#onEnd = onEnd;
  }

  get isServing() {
    return this.#serving !== undefined;
  }

  /**
   * Serves the project as it is built now. Resolves to `{}`, or to `{ message, code }` where that
   * failed: `code` is the exit code where the server had to end before.
   */
  async replace() {
    clearTimeout(this.#timer);
    const next = this.#waiting ?? new Server(this.#root);
    this.#waiting = undefined;
    const answer = await next.load();
    if (answer.failed !== undefined) {
      await next.end();
      this.#prepare();
      return { message: answer.failed };
    }
    const before = this.#serving;
    this.#serving = undefined;
    await before?.end();
    const { url, code, message } = await next.serve(this.#port, before === undefined);
    this.#prepare();
    if (url === undefined) return { code, message };
    // The next server gets the same port, also where this one took a free one.
    this.#port = new URL(url).port;
    this.#serving = next;
    next.ended.then((how) => {
      if (this.#serving !== next) return;
      this.#serving = undefined;
      this.#onEnd(how);
    });
    return {};
  }

  async close() {
    clearTimeout(this.#timer);
    const servers = [this.#serving, this.#waiting];
    this.#serving = undefined;
    await Promise.all(servers.map((server) => server?.end()));
  }

  #prepare() {
    this.#timer = setTimeout(() => {
      this.#waiting ??= new Server(this.#root);
    }, CALM);
  }
}

/** One process (dev-process.mjs). */
class Server {
  #child;
  #told = [];
  #isFirst = true;
  #listening;
  ended;

  constructor(root) {
    const env = { LOG_LEVEL: 'warn', ...process.env };
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'];
    this.#child = fork(ENTRY, { cwd: root, env, stdio });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(code ?? signal));
    });
    for (const [from, to] of [
      [this.#child.stdout, process.stdout],
      [this.#child.stderr, process.stderr],
    ])
      createInterface({ input: from }).on('line', (line) => this.#pass(line, to));
  }

  load() {
    const loaded = new Promise((resolve) => this.#child.once('message', resolve));
    const gone = this.ended.then((how) => ({ failed: `${this.#told.join('\n')}\n(${how})` }));
    this.#child.send({ load: true });
    return Promise.race([loaded, gone]);
  }

  /** Resolves to `{ url }`, or to `{ code, message }` where the server refused to start. */
  serve(port, isFirst) {
    this.#isFirst = isFirst;
    const listening = new Promise((resolve) => {
      this.#listening = resolve;
    });
    this.#child.send({ serve: port });
    const gone = this.ended.then((code) => ({ code, message: this.#told.join('\n') }));
    return Promise.race([listening.then((url) => ({ url })), gone]);
  }

  async end() {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE);
    if (this.#child.connected) this.#child.send({ stop: true }, () => undefined);
    await this.ended;
    clearTimeout(timer);
  }

  /** Passes a line on; until the server listens, it keeps what may be the reason of a failure. */
  #pass(line, to) {
    const url = /^jmapsmith listens on (\S+)$/.exec(line)?.[1];
    const isShown = this.#isFirst || this.#listening === null;
    if (to === process.stdout) {
      if (isShown) to.write(`${line}\n`);
    } else if (this.#listening === null || line.startsWith('{')) to.write(`${logText(line)}\n`);
    else this.#told.push(line);
    if (url === undefined) return;
    this.#listening?.(url);
    this.#listening = null;
  }
}
