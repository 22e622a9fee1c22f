import { NeedsAuthError, TransportError } from './errors.js';

/** A bearer token, or the function that gives one. */
export type Token = string | (() => string | Promise<string>);

/** How long a refused token keeps requests back. */
const PAUSE = 60_000;

/** Sends a request with a token, and after a 401 once more with another token. */
export type Authorize = (attempt: (token: string) => Promise<Response>) => Promise<Response>;

/**
 * Returns the function that gives requests their token (RFC 6750). After a 401 it asks for another
 * token, once for all requests that wait. Where the server refuses that one too, requests reject
 * with a NeedsAuthError, and none is sent for a minute.
 */
export function makeAuthorize(token: Token): Authorize {
  let refusedAt = 0;
  let current: Promise<string> | undefined;

  const ask = async (): Promise<string> => {
    try {
      return typeof token === 'string' ? token : await token();
    } catch (cause) {
      current = undefined;
      throw new TransportError('There is no token.', { cause });
    }
  };
  const refuse = (): never => {
    throw new NeedsAuthError('The server refuses the token.');
  };
  const isRefused = (): boolean => Date.now() < refusedAt + PAUSE;

  return async (attempt) => {
    if (isRefused()) refuse();
    // The first token after a refusal has no second try.
    let isLast = refusedAt > 0;
    for (;;) {
      current ??= ask();
      const used = current;
      const text = await used;
      const response = await attempt(text);
      if (response.status !== 401) {
        refusedAt = 0;
        return response;
      }
      void response.body?.cancel();
      if (isRefused()) refuse();
      if (current === used) current = isLast ? undefined : ask();
      if (isLast || (await current) === text) {
        refusedAt = Date.now();
        current = undefined;
        refuse();
      }
      isLast = true;
    }
  };
}
