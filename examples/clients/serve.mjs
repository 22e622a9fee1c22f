// Serves the applications to a browser on this machine.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { APPS, buildApp } from './build.mjs';

const { JMAP_URL = 'http://127.0.0.1:8080', PAGE_PORT = '8000' } = process.env;
const { origin: jmap } = new URL(JMAP_URL);

/** All that a page may load: its own files, and the answers of the JMAP server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `connect-src 'self' ${jmap}`,
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const readShared = (name) => readFile(new URL(`shared/${name}`, import.meta.url), 'utf8');

async function buildRoutes() {
  const page = await readShared('index.html');
  const links = APPS.map((name) => `<p><a href="/${name}/">${name}</a></p>`);
  const routes = [
    ['/', 'text/html', `<!doctype html><title>Clients</title>${links.join('')}`],
    ['/todos.css', 'text/css', await readShared('todos.css')],
    // A page asks which server is its own.
    ['/config.json', 'application/json', JSON.stringify({ url: JMAP_URL })],
  ];
  for (const name of APPS)
    routes.push(
      [`/${name}/`, 'text/html', page],
      [`/${name}/app.js`, 'text/javascript', await buildApp(name)],
    );
  return new Map(routes.map(([path, ...answer]) => [path, answer]));
}

const routes = await buildRoutes();

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const found = routes.get(pathname);
  const [type, content] = found ?? ['text/plain', 'There is nothing here.\n'];
  response.writeHead(found === undefined ? 404 : 200, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-cache',
  });
  response.end(content);
});

server.listen(Number(PAGE_PORT), '127.0.0.1', () => {
  process.stdout.write(`The pages are at http://localhost:${server.address().port}\n`);
});
