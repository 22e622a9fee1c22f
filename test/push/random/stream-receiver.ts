import { type Changed, pause, Receiver } from './receiver.js';

/** How a client gives the id back with which it goes on. */
export type StreamKind = 'header' | 'query' | 'both' | 'closing';

/** A client of the event source, which comes and goes (RFC 8620 7.3). */
export class StreamReceiver extends Receiver {
  readonly #kind: StreamKind;
  #lastId = '';

  constructor(world: Receiver['world'], name: string, kind: StreamKind) {
    super(world, name);
    this.#kind = kind;
  }

  async run(): Promise<void> {
    while (this.world.phase !== 'over') {
      await this.#listen();
      await pause(this.random.chance(0.5) ? 5 : this.random.integer(0, 150));
    }
  }

  /** Opens one stream, for a while. */
  async #listen(): Promise<void> {
    const client = this.world.client(this.person, this.random);
    if (client === null) return;
    const isNew = this.#lastId === '' || (this.world.phase === 'run' && this.random.chance(0.05));
    if (isNew) this.begin();
    const abort = new AbortController();
    const life = setTimeout(() => abort.abort(), this.random.integer(10, 600));
    // The last one stays.
    if (this.world.phase !== 'run') clearTimeout(life);
    const ending = setInterval(() => {
      if (this.world.phase === 'over') abort.abort();
    }, 20);
    try {
      const response = await fetch(this.#url(client.url, isNew), {
        headers: { authorization: `Bearer ${client.token}`, ...this.#header(isNew) },
        signal: abort.signal,
      });
      if (response.status === 200) await this.#read(response, isNew);
      else if (response.status !== 503 && response.status !== 408)
        this.world.problems.add(`${this.describe()}: ${response.status} ${await response.text()}`);
    } catch (error) {
      // The client ends it, or the server dies.
      const isCut = abort.signal.aborted || error instanceof TypeError;
      if (!isCut) this.world.problems.add(`${this.describe()}: ${String(error)}`);
    } finally {
      clearTimeout(life);
      clearInterval(ending);
      abort.abort();
    }
  }

  #url(url: string, isNew: boolean): string {
    const inQuery = !isNew && (this.#kind === 'query' || this.#kind === 'both');
    const query = new URLSearchParams({
      types: this.types?.join() ?? '*',
      closeafter: this.#kind === 'closing' ? 'state' : 'no',
      ping: '0',
      // The header counts where both are there.
      ...(inQuery ? { lastEventId: this.#kind === 'both' ? 'x' : this.#lastId } : {}),
    });
    return `${url}/jmap/eventsource?${query}`;
  }

  #header(isNew: boolean): Record<string, string> {
    return isNew || this.#kind === 'query' ? {} : { 'last-event-id': this.#lastId };
  }

  async #read(response: Response, isNew: boolean): Promise<void> {
    let text = '';
    let asks = isNew;
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
      // It listens before it asks, so it misses nothing.
      if (asks) void this.ask();
      asks = false;
    }
  }

  #take(block: string): void {
    const lines = block.split('\n').map((line) => line.split(/: ?(.*)/, 2));
    const { event, id = null, data } = Object.fromEntries(lines) as Record<string, string>;
    if (event === 'state') {
      const { changed } = JSON.parse(data ?? '') as { changed: Changed };
      this.take(changed, id ?? null);
      if (id === null) this.world.problems.add(`${this.describe()}: a state event has no id`);
    }
    this.checkId(id);
    if (id !== null) this.#lastId = id;
  }
}
