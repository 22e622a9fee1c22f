import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';

/** The module of a generated Prisma client: a project's own, with tables that the engine doesn't know. */
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
