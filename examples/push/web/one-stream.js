// One stream for all tabs. A browser has six connections to a server over HTTP/1.1, and a user may
// have 32 streams. Web Locks choose the tab that reads, BroadcastChannel tells the others.
import { followEvents } from './event-stream.js';

/**
 * Follows changes of types until `signal` aborts. It calls `onChange(changed)` with the `changed` of
 * a StateChange, or with null where anything may have changed. Rejects with SignedOut where the
 * server refuses the token.
 */
export async function followChanges({ jmap, types, onChange, signal }) {
  const { eventSourceUrl, username } = jmap.session;
  const url = fillTemplate(eventSourceUrl, { types: types.join(), closeafter: 'no', ping: '0' });
  // Another user, or other types, have a stream of their own.
  const name = `changes ${username} ${url}`;
  let lastEventId = null;

  // Every tab keeps the id. So the tab that reads next misses nothing.
  const take = ({ id, changed }) => {
    lastEventId = id;
    onChange(changed);
  };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => take(data);

  const lead = async () => {
    // Nothing of the past is told to a stream that begins without an id.
    let isFirst = lastEventId === null;
    await followEvents({
      ...{ url, signal, lastEventId, headers: jmap.authorization },
      onEvent({ id, type, data }) {
        const changed = type === 'state' ? JSON.parse(data).changed : {};
        const message = { id, changed: isFirst ? null : changed };
        isFirst = false;
        channel.postMessage(message);
        take(message);
      },
    });
  };
  try {
    // The lock is free when the tab that reads is closed, crashes or signs out.
    await navigator.locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

/** Fills the variables of a URI template of level 1 (RFC 6570). */
function fillTemplate(template, values) {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
}
