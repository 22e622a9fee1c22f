// The part of a browser in a sign-in: cookies and redirects, kept in a file for each person.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

function endWithout(origin) {
  process.stderr.write(`Is the provider running at ${origin}?\n`);
  process.exit(1);
}

export class Browser {
  #file;
  #cookies;

  /** Opens the browser of a person, with the cookies of before. */
  constructor(name) {
    this.#file = `data/browser-${encodeURIComponent(name)}.json`;
    try {
      this.#cookies = new Map(JSON.parse(readFileSync(this.#file, 'utf8')));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      this.#cookies = new Map();
    }
  }

  async get(url) {
    return this.#ask(url, {});
  }

  async post(url, form) {
    return this.#ask(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Keeps the cookies for the next time. */
  save() {
    mkdirSync('data', { recursive: true });
    writeFileSync(this.#file, JSON.stringify([...this.#cookies]), { mode: 0o600 });
  }

  forget() {
    rmSync(this.#file, { force: true });
  }

  async #ask(url, init) {
    const cookie = Array.from(this.#cookies, (pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie } }).catch(
      () => endWithout(new URL(url).origin),
    );
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text);
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
