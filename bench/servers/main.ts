import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The process of a server written by hand: `node main.js KIND`, with DATABASE, TOKEN_HASH and
 * ACCOUNTS in the environment. It prints its URL, and ends when whoever started it is gone.
 */

const kind = process.argv[2];
const database = process.env['DATABASE'] ?? '';
const hash = process.env['TOKEN_HASH'] ?? '';
const accounts = (process.env['ACCOUNTS'] ?? '').split(',');

async function open(): Promise<() => Promise<Server>> {
  switch (kind) {
    case 'express':
    case 'fastify':
    case 'fastify-shared': {
      const { openStore, seed } = await import('./sqlite-store.js');
      const { commitEach, commitShared } = await import('./commits.js');
      seed(database, hash, accounts);
      const store = openStore(database, kind === 'fastify-shared' ? commitShared : commitEach);
      return kind === 'express' ? express(store) : fastify(store);
    }
    case 'express-prisma': {
      const { openStore } = await import('./prisma-store.js');
      return express(await openStore(database, hash, accounts));
    }
    case 'fastify-pg': {
      const { openStore } = await import('./pg-store.js');
      return fastify(await openStore(database, hash, accounts));
    }
    case 'echo-http': {
      const { echoServer } = await import('./echo.js');
      return () => listening(echoServer());
    }
    case 'echo-express': {
      const { echoApp } = await import('./echo.js');
      return () => listening(createServer(echoApp()));
    }
    default:
      throw new Error(`There is no server ${JSON.stringify(kind)}.`);
  }
}

async function express(store: import('./todos.js').Store): Promise<() => Promise<Server>> {
  const { expressApp } = await import('./express-routes.js');
  return () => listening(createServer(expressApp(store)));
}

async function fastify(store: import('./todos.js').Store): Promise<() => Promise<Server>> {
  const { fastifyApp } = await import('./fastify-routes.js');
  const app = fastifyApp(store);
  return async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server as Server;
  };
}

function listening(server: Server): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

const server = await (await open())();
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
