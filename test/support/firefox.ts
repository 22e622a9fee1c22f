import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { findProgram } from './find-program.js';

const NAMES = ['firefox', 'firefox-esr'];

/** Returns the path of this machine's Firefox: `FIREFOX_PATH`, or one in `PATH`; null: none. */
export function findFirefox(): string | null {
  return findProgram('FIREFOX_PATH', NAMES);
}

/** Why tests in Firefox are skipped, and how to run them; null: they run. */
export const NO_FIREFOX =
  findFirefox() === null
    ? 'no Firefox in PATH: install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH'
    : null;

/** A tab of the browser. */
export interface FirefoxPage {
  /** Calls a function in the page; argument and result are JSON. */
  evaluate<Arg, Result>(work: (arg: Arg) => Result, arg?: Arg): Promise<Awaited<Result>>;
  close(): Promise<void>;
}

export interface Firefox {
  /** Opens a URL in a tab, and runs a script there. */
  open(url: string, script: string): Promise<FirefoxPage>;
  close(): Promise<void>;
}

/** Starts Firefox with a profile of its own, in its private mode where that is wanted. */
export async function launchFirefox({ isPrivate = false } = {}): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'jmapsmith-firefox-'));
  const prefs = isPrivate ? 'user_pref("browser.privatebrowsing.autostart", true);\n' : '';
  writeFileSync(join(profile, 'user.js'), prefs);
  const args = ['--headless', '--remote-debugging-port=0', '--profile', profile];
  const child = spawn(findFirefox() ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  const socket = new WebSocket(`${await readAddress(child.stderr)}/session`);
  await once(socket, 'open');
  const send = makeSender(socket);
  await send('session.new', { capabilities: {} });
  return {
    open: (url, script) => openTab(send, url, script),
    async close() {
      socket.close();
      child.kill();
      await closed;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

type Send = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;

async function readAddress(stderr: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of stderr) {
    text += String(piece);
    const [, address] = /listening on (ws:\S+)/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`Firefox didn't start: ${text}`);
}

/** Returns the function that sends a command of WebDriver BiDi, and resolves to its result. */
function makeSender(socket: WebSocket): Send {
  const waiting = new Map<number, (answer: Readonly<Record<string, unknown>>) => void>();
  let last = 0;
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Readonly<Record<string, unknown>>;
    waiting.get(Number(answer['id']))?.(answer);
  });
  return async (method, params) => {
    last += 1;
    const id = last;
    const answered = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
      waiting.set(id, resolve);
    });
    socket.send(JSON.stringify({ id, method, params }));
    const answer = await answered;
    waiting.delete(id);
    if (answer['type'] === 'error') throw new Error(`${method}: ${String(answer['message'])}`);
    return answer['result'] as Readonly<Record<string, unknown>>;
  };
}

async function openTab(send: Send, url: string, script: string): Promise<FirefoxPage> {
  const { context } = await send('browsingContext.create', { type: 'tab' });
  await send('browsingContext.navigate', { context, url, wait: 'complete' });
  const call = async (functionDeclaration: string, argument: string): Promise<unknown> => {
    const { type, result, exceptionDetails } = (await send('script.callFunction', {
      functionDeclaration,
      target: { context },
      arguments: [{ type: 'string', value: argument }],
      awaitPromise: true,
    })) as {
      readonly type: string;
      readonly result?: { readonly value?: string };
      readonly exceptionDetails?: { readonly text: string };
    };
    if (type === 'exception') throw new Error(exceptionDetails?.text);
    return result?.value;
  };
  await call('(text) => { (0, eval)(text); }', script);
  return {
    async evaluate(work, arg) {
      const body = `async (json) => JSON.stringify({ value: await (${work})(JSON.parse(json)) })`;
      const json = (await call(body, JSON.stringify(arg ?? null))) as string;
      return (JSON.parse(json) as { readonly value: never }).value;
    },
    close: async () => void (await send('browsingContext.close', { context })),
  };
}
