/** `npm run bench` measures the server over HTTP, `npm run bench -- generate` the generator. */
if (process.argv[2] === 'generate') {
  process.argv.splice(2, 1);
  await import('./generate.js');
} else await import('./http.js');
