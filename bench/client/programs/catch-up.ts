import { connect, memory } from '@jmapsmith/client';
import type { CatchUp } from '../figures.js';
import { FakeServer } from './fake-server.js';
import { makeTable, things } from './things.js';

/** Run as `node catch-up.mjs TYPES`; prints the requests of a start without anything new. */

const store = memory();
const others = Array.from({ length: Number(process.argv[2]) - 1 }, (_, n) => makeTable(`T${n}`));
const schema = { ...things, types: [...things.types, ...others] };
const server = new FakeServer(100);

const first = await connect(schema, { ...server.options, store });
await first.sync.settled();
await first.close();

server.exchanges = [];
const second = await connect(schema, { ...server.options, store });
await new Promise<void>((resolve) => {
  second.sync.subscribe(({ lastSynced }) => lastSynced !== null && resolve());
});
await second.close();

const sum = (name: 'sent' | 'received') =>
  (server.exchanges ?? []).reduce((all, exchange) => all + exchange[name], 0);
const caughtUp: CatchUp = {
  requests: server.exchanges.length,
  sent: sum('sent'),
  received: sum('received'),
};
process.stdout.write(JSON.stringify(caughtUp));
