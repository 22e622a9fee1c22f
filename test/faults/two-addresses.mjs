// Loaded into a server (`node --import`): each name has two addresses, as localhost has on most
// machines.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

dns.lookup = (_name, options, done) => {
  const callback = typeof options === 'function' ? options : done;
  const all = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  if (typeof options === 'object' && options.all) process.nextTick(callback, null, all);
  else process.nextTick(callback, null, '127.0.0.1', 4);
};
syncBuiltinESMExports();
