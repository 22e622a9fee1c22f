import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.js';

describe('a start without its database: exit code 1 and a line that says what and where', () => {
  it.each([
    ['nobody listens', 'postgresql://u:secret@127.0.0.1:1/d', /ECONNREFUSED/],
    [
      'nobody listens at a name with two addresses',
      'postgresql://u:secret@two.test:1/d',
      /connect ECONNREFUSED 127\.0\.0\.1:1; connect ECONNREFUSED 127\.0\.0\.2:1/,
    ],
    ['no host has the name', 'postgresql://u:secret@nobody.invalid:5432/d', /ENOTFOUND|EAI_AGAIN/],
  ])('%s', async (_, url, reason) => {
    const loaded = new URL('two-addresses.mjs', import.meta.url).href;
    const options = url.includes('two.test') ? { NODE_OPTIONS: `--import=${loaded}` } : {};
    const failure = await startServer({ env: { DATABASE_URL: url, ...options } }).catch(String);
    expect(failure).toMatch(/ended with 1\./);
    // The cause, and no stack; the password stays untold.
    expect(failure).toMatch(/jmapsmith: \S.*DATABASE_URL/);
    expect(failure).toMatch(reason);
    expect(failure).not.toMatch(/secret|\n +at /);
  });
});
