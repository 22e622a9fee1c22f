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

/** Keeps the exchanges of the check that runs. Tokens and cookies are never part of it. */
export class Recorder {
  #exchanges: Exchange[] = [];
  #asides = 0;

  /** What is looked at beside a check is not part of it. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.#asides += 1;
    try {
      return await work();
    } finally {
      this.#asides -= 1;
    }
  }

  /** Keeps an exchange for the report of the check that runs; the oldest ones are forgotten. */
  add({ request, answer }: Exchange): void {
    if (this.#asides > 0) return;
    this.#exchanges.push({
      request: { ...request, headers: shown(request.headers), body: cut(request.body) },
      answer:
        answer === null
          ? null
          : { ...answer, headers: shown(answer.headers), body: cut(answer.body) },
    });
    if (this.#exchanges.length > MOST) this.#exchanges.shift();
  }

  /** What was kept since the last time, oldest first. */
  take(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }
}

/** Returns headers without credentials and cookies: a report may be passed on. */
function shown(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET.has(name.toLowerCase()) ? '(hidden)' : value,
    ]),
  );
}

/** Shortens a body that is too long for a report. */
function cut(text: string): string {
  return text.length <= KEPT ? text : `${text.slice(0, KEPT)}… (${text.length} characters)`;
}
