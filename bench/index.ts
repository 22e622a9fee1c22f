/**
 * `npm run bench` measures the server over HTTP, `npm run bench -- generate` the generator,
 * `npm run bench -- event-loop` how long anything blocks the server.
 */
if (process.argv[2] === 'generate') {
  process.argv.splice(2, 1);
  await import('./generate.js');
} else if (process.argv[2] === 'event-loop') {
  process.argv.splice(2, 1);
  await import('./event-loop.js');
} else await import('./http.js');
