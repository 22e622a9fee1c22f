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
 */
if (process.argv[2] === 'generate') {
  process.argv.splice(2, 1);
  await import('./generate.js');
} else if (process.argv[2] === 'event-loop') {
  process.argv.splice(2, 1);
  await import('./event-loop.js');
} else if (process.argv[2] === 'store-pg') {
  process.argv.splice(2, 1);
  await import('./store-pg.js');
} else if (process.argv[2] === 'sockets') {
  process.argv.splice(2, 1);
  await import('./sockets.js');
} else if (process.argv[2] === 'waits') {
  process.argv.splice(2, 1);
  await import('./waits.js');
} else if (process.argv[2] === 'path') {
  process.argv.splice(2, 1);
  await import('./path.js');
} else if (process.argv[2] === 'push') {
  process.argv.splice(2, 1);
  await import('./push.js');
} else await import('./http.js');
