import type { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';

/** The module of a project's generated Prisma client. The engine doesn't know its tables. */
export interface ClientModule {
  readonly PrismaClient: unknown;
}

/** A client of any project. Hook files give it its type. */
export interface AnyClient {
  $disconnect(): Promise<void>;
}

type ClientClass = new (options: { readonly adapter: SqlDriverAdapterFactory }) => AnyClient;

/** Opens a project's client on an adapter of ours. */
export function openClient(module: ClientModule, adapter: SqlDriverAdapterFactory): AnyClient {
  return new (module.PrismaClient as ClientClass)({ adapter });
}

/** The typed client that hook files get, and how it joins the engine's transaction. */
export interface HookPrisma {
  readonly client: AnyClient;
  /**
   * Runs `work` so that the client sees what the transaction around it has not committed yet; once
   * `work` has settled, the client refuses whatever `work` left running.
   */
  join<T>(work: () => Promise<T>): Promise<T>;
}

/** Runs `work` within the scope, which is closed when it has settled. */
export async function runWithin<S extends { open: boolean }, T>(
  storage: AsyncLocalStorage<S>,
  scope: S,
  work: () => Promise<T>,
): Promise<T> {
  try {
    // Awaited inside: Prisma's promises begin when they are waited for, and a work may give one.
    return await storage.run(scope, async () => await work());
  } finally {
    scope.open = false;
  }
}
