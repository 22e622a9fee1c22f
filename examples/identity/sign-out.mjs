// Signs a person out at the provider, which tells the JMAP server.
import { Browser } from './browser.mjs';

const { PROVIDER_URL = 'http://127.0.0.1:9000' } = process.env;

const [, , name] = process.argv;
if (name === undefined) throw new Error('Usage: node sign-out.mjs NAME');
const browser = new Browser(name);
const page = await (await browser.get(`${PROVIDER_URL}/session/end`)).text();
const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
if (xsrf === undefined) throw new Error(`${name} is not signed in.`);
const response = await browser.post(`${PROVIDER_URL}/session/end/confirm`, { xsrf, logout: 'yes' });
if (response.status >= 400) throw new Error(`The provider answered ${response.status}.`);
browser.forget();
process.stdout.write(`${name} is signed out.\n`);
