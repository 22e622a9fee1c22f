/**
 * `npm run bench` measures the server over HTTP. With an argument it measures something else:
 *
 * - `generate`: the generator
 * - `event-loop`: how long anything blocks the server
 * - `store-pg`: what the store on PostgreSQL costs
 * - `sockets`: what an idle WebSocket takes
 * - `waits`: how long a request of one user keeps another user waiting
 * - `path`: how many files a request enters
 * - `push`: how soon clients hear of commits, and what that costs
 * - `client`: what the typed client costs
 * - `identity`: what tokens of an identity provider cost
 * - `access`: what access rules and shares cost
 */
const OTHERS: Readonly<Record<string, () => Promise<unknown>>> = {
  generate: () => import('./generate.js'),
  'event-loop': () => import('./event-loop.js'),
  'store-pg': () => import('./store-pg.js'),
  sockets: () => import('./sockets.js'),
  waits: () => import('./waits.js'),
  path: () => import('./path.js'),
  push: () => import('./push.js'),
  client: () => import('./client/index.js'),
  identity: () => import('./identity.js'),
  access: () => import('./access.js'),
};

const other = OTHERS[process.argv[2] ?? ''];
if (other === undefined) await import('./http.js');
else {
  process.argv.splice(2, 1);
  await other();
}
