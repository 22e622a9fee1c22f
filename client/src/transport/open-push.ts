import type { Connection } from '../call/connection.js';
import { openEventSource } from './event-source.js';
import type { Push, PushOptions } from './push.js';

/** Opens push by the transport of the calls where it has one, else by an event source. */
export function openPush(
  { transport, http, keeper, locate }: Connection,
  options: PushOptions,
): Push {
  return (
    transport.openPush?.(options) ??
    openEventSource({ http, locate, session: keeper.current }, options)
  );
}
