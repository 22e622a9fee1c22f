import type { Socket } from 'node:net';

/** Connections with an answer on the way, where Node isn't asked (node-internals.ts). */
export const answering = new WeakSet<Socket>();

/** Whether an answer is on its way. Node keeps the response that a connection is assigned to on the connection. */
export function isAnswering(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return (socket._httpMessage ?? null) !== null || answering.has(socket);
}
