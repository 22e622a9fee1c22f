// Signs a person in as an application in a browser does, and prints the access token alone.
import { createHash, randomBytes } from 'node:crypto';
import { Browser } from './browser.mjs';

const { JMAP_URL = 'http://127.0.0.1:8080', PROVIDER_URL = 'http://127.0.0.1:9000' } = process.env;
const APPLICATION = { client_id: 'list-app', redirect_uri: 'http://127.0.0.1:9001/callback' };

/** Walks from page to page until the provider sends the browser back to the application. */
async function walk(browser, start, name) {
  let url = start;
  for (let step = 0; step < 20; step += 1) {
    if (url.startsWith(APPLICATION.redirect_uri)) return new URL(url).searchParams;
    let response = await browser.get(url);
    if (response.status === 200) {
      // A page asks for the name, and a second one whether the application may come in.
      const page = await response.text();
      const form = page.includes('name="login"')
        ? { prompt: 'login', login: name, password: 'any' }
        : { prompt: 'consent' };
      response = await browser.post(new URL(/action="([^"]+)"/.exec(page)[1], url), form);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The provider doesn't let ${name} in.`);
    url = new URL(location, url).href;
  }
  throw new Error('There are too many redirects.');
}

async function signIn(name) {
  // PKCE (RFC 7636): whoever steals the code can do nothing with it.
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    ...APPLICATION,
    response_type: 'code',
    scope: 'openid list',
    resource: JMAP_URL,
    state: randomBytes(16).toString('base64url'),
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const browser = new Browser(name);
  const back = await walk(browser, `${PROVIDER_URL}/auth?${query}`, name);
  if (back.get('state') !== query.get('state') || !back.has('code'))
    throw new Error(back.get('error_description') ?? 'The provider gave no code.');
  browser.save();
  const response = await fetch(`${PROVIDER_URL}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...APPLICATION,
      grant_type: 'authorization_code',
      code: back.get('code'),
      code_verifier: verifier,
      resource: JMAP_URL,
    }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error_description);
  return answer.access_token;
}

const [, , name] = process.argv;
if (name === undefined) throw new Error('Usage: node sign-in.mjs NAME');
process.stdout.write(`${await signIn(name)}\n`);
