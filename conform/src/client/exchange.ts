import { HIDDEN, Secrets } from './secrets.js';

/** One request as it was sent and what came back: what a report shows of a check that failed. */
export interface Exchange {
  readonly request: {
    /** `POST https://…/jmap`, or `WebSocket`. */
    readonly line: string;
    readonly headers: Readonly<Record<string, string>>;
    /** As text; of what is no text, how many octets it had. */
    readonly body: string;
  };
  /** Null where none came. */
  readonly answer: {
    /** Absent over WebSocket. */
    readonly status?: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } | null;
}

/** Longer bodies are cut in what is kept. */
const KEPT = 16_384;
/** Of a check that sends thousands the last ones are kept. */
const MOST = 20;

/** Headers that let whoever reads a report in: their values are left out. */
const SECRET = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'set-cookie2',
]);

/** Keeps the exchanges of the check that runs. Credentials and cookies are never part of it. */
export class Recorder {
  readonly secrets: Secrets;
  #exchanges: Kept[] = [];
  #asides = 0;

  constructor(secrets = new Secrets([])) {
    this.secrets = secrets;
  }

  /** Does work beside a check, whose requests are not kept. */
  async runAside<T>(work: () => Promise<T>): Promise<T> {
    this.#asides += 1;
    try {
      return await work();
    } finally {
      this.#asides -= 1;
    }
  }

  /**
   * Keeps an exchange for the report of the check that runs; the oldest ones are forgotten. Returns
   * what adds an answer that comes later.
   */
  add({ request, answer }: Exchange): (answer: Exchange['answer']) => void {
    if (this.#asides > 0) return () => undefined;
    const kept: Kept = { request: this.#keep(request), answer: this.#keep(answer) };
    this.#exchanges.push(kept);
    if (this.#exchanges.length > MOST) this.#exchanges.shift();
    return (later) => {
      // Nothing is added to a report of a check that is over.
      if (this.#exchanges.includes(kept)) kept.answer = this.#keep(later);
    };
  }

  /** Returns the exchanges kept since the last time, oldest first. */
  take(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }

  /** Returns a message without credentials and cookies, and no longer than a report shows. */
  #keep<T extends Headed | null>(whole: T): T {
    if (whole === null) return whole;
    const { body, ...message } = whole;
    const headers = Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [
        name,
        SECRET.has(name.toLowerCase()) ? HIDDEN : value,
      ]),
    );
    const start = this.secrets.hideStart(body, KEPT);
    const cut = body.length <= KEPT ? start : `${start}… (${body.length} characters)`;
    return { ...this.secrets.hideIn({ ...message, headers }), body: cut } as T;
  }
}

/** Describes an exchange whose answer may come later. */
interface Kept {
  readonly request: Exchange['request'];
  answer: Exchange['answer'];
}

/** Describes the parts of a message that can be long or secret. */
interface Headed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
