// Serves web/ to a browser on this machine. Service workers need https or localhost.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { JMAP_URL = 'http://127.0.0.1:8080', PAGE_PORT = '8000' } = process.env;
const { origin: jmap } = new URL(JMAP_URL);

/** All that the page may load: its own files, and the answers of the JMAP server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  `connect-src 'self' ${jmap}`,
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** Returns the type and the content of a path; null where there is nothing. */
async function find(path) {
  // The page asks which server is its own.
  if (path === '/config.json') return ['application/json', JSON.stringify({ jmap: JMAP_URL })];
  const [, name, ending] = /^\/([a-z-]+)\.(html|css|js)$/.exec(path) ?? [];
  if (name === undefined) return null;
  const file = new URL(`web/${name}.${ending}`, import.meta.url);
  const content = await readFile(file).catch(() => null);
  return content === null ? null : [TYPES[ending], content];
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const found = await find(pathname === '/' ? '/index.html' : pathname);
  const [type, content] = found ?? ['text/plain', 'There is nothing here.\n'];
  response.writeHead(found === null ? 404 : 200, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    // A browser looks for a newer service worker at each visit.
    'Cache-Control': 'no-cache',
  });
  response.end(content);
});

server.listen(Number(PAGE_PORT), '127.0.0.1', () => {
  process.stdout.write(`The page is at http://localhost:${server.address().port}\n`);
});
