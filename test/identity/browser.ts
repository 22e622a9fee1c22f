/** A browser's cookies and redirects, without pages. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#ask(url, { headers });
  }

  post(url: string, form: Readonly<Record<string, string>>): Promise<Response> {
    return this.#ask(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Follows redirects from `url` until one leads to `end`; resolves to that URL. */
  async follow(url: string, end: string, headers: Readonly<Record<string, string>>): Promise<URL> {
    let place = url;
    for (let step = 0; step < 12; step += 1) {
      const response = await this.get(place, headers);
      const location = response.headers.get('location');
      if (location === null) {
        throw new Error(`${place} leads nowhere: ${response.status} ${await response.text()}`);
      }
      const next = new URL(location, place);
      if (next.href.startsWith(end)) return next;
      place = next.href;
    }
    throw new Error('There are too many redirects.');
  }

  async #ask(url: string, init: RequestInit): Promise<Response> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Readonly<Record<string, string>>), cookie };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const text of response.headers.getSetCookie()) this.#keep(text);
    return response;
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const expires = attributes.find((part) => /^expires=/i.test(part))?.slice('expires='.length);
    const isOver = expires !== undefined && new Date(expires).getTime() < Date.now();
    if (value === '' || isOver) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}
