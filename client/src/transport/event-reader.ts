import type { Place } from './reconnect.js';

/** An event of a `text/event-stream`. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/**
 * Returns the function that takes the text of a stream, in pieces, and calls `onEvent` with its
 * events (HTML standard, 9.2.6). It keeps the last id and the time of `retry` in `place`.
 */
export function makeEventReader(
  place: Place,
  onEvent: (event: StreamEvent) => void,
): (text: string) => void {
  let rest = '';
  let isAfterCr = false;
  let { id } = place;
  let type = '';
  let data: string[] = [];

  const endEvent = (): void => {
    const event = { type: type || 'message', data: data.join('\n') };
    const isEvent = data.length > 0;
    type = '';
    data = [];
    if (isEvent) onEvent(event);
    // An event that can't be read comes again with the next connection.
    place.id = id;
  };
  const takeLine = (line: string): void => {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') endEvent();
    else if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) place.retry = Number(value);
  };
  return (text) => {
    // A CR ends its line at once. An LF behind it may come with the next piece.
    const lines = (rest + (isAfterCr ? text.replace(/^\n/, '') : text)).split(/\r\n|[\r\n]/);
    if (text !== '') isAfterCr = text.endsWith('\r');
    rest = lines.pop() ?? '';
    for (const line of lines) takeLine(line);
  };
}
