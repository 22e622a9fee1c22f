import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A hub in a process of its own, which tells of each doubt. Arguments: root, URL, times. */
const [root, url, times] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(root, 'dist', 'src', path)));
const { notifyDatabase } = await load('database/postgresql/notify-session.js');
const { shardLeases } = await load('database/postgresql/shard-leases.js');
const { openPool } = await load('database/postgresql/index.js');
const { openPostgresqlHub } = await load('push/hub/postgresql.js');

const pool = openPool({ url, size: 1, answerWithin: 5000 });
const hub = openPostgresqlHub({
  database: notifyDatabase(url, { unacknowledged: 1000 }),
  leases: shardLeases(pool),
  epoch: () => 'g',
  log: { info: () => undefined, warn: () => undefined },
  times: JSON.parse(times),
});
const ignore = () => undefined;
hub.listen({ hints: ignore, subscription: ignore, doubt: (reason) => process.send({ reason }) });
process.on('message', (change) => hub.publish(change));
process.on('disconnect', () => process.exit());
