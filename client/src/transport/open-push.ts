import type { Connection } from '../call/connection.js';
import { openEventSource } from './event-source.js';
import type { Push, PushOptions } from './push.js';

/**
 * Opens push by the transport of the calls where it has one, else by an event source. The end of
 * the connection closes it.
 */
export function openPush(
  { transport, http, keeper, locate, scope }: Connection,
  options: PushOptions,
): Push {
  const push =
    transport.openPush?.(options) ??
    openEventSource({ http, locate, session: keeper.current }, options);
  const isOpen = new Promise<never>(() => undefined);
  scope.run(undefined, () => isOpen).catch(() => push.close());
  return push;
}
