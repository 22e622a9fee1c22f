/** What text a quoted-string may hold here: visible ASCII and spaces (RFC 9110 5.6.4). */
const NOT_ASCII = /[^\x20-\x7e]/gu;
/** What RFC 8187 3.2.1 wants escaped and encodeURIComponent leaves alone. */
const NOT_ATTR_CHAR = /['()*]/g;
/** An escape in `filename` is decoded by some browsers: then the extended form says what is meant. */
const ESCAPE = /%[0-9A-Fa-f]{2}/;

/**
 * The Content-Disposition of a download (RFC 6266). The name goes in as it is (service.md 4), a path in it too: it
 * is data, and what a browser saves it as is the browser's care. What ASCII can't say stands in `filename*`
 * (RFC 8187), so nothing in a name can end the header.
 */
export function contentDisposition(kind: 'attachment' | 'inline', name: string): string {
  if (name === '') return kind;
  const ascii = name.replace(NOT_ASCII, '_');
  const plain = `${kind}; filename="${ascii.replace(/["\\]/g, '\\$&')}"`;
  if (ascii === name && !ESCAPE.test(name)) return plain;
  const extended = encodeURIComponent(name).replace(
    NOT_ATTR_CHAR,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${plain}; filename*=UTF-8''${extended}`;
}

/** Types that a browser shows without running anything in them. */
const INERT =
  /^(?:text\/plain|image\/(?:png|jpeg|gif|webp|avif|bmp)|(?:audio|video)\/[a-z0-9.+-]+)$/;

/** D22: what a browser would run is saved, not shown; so is everything that isn't known to be inert. */
export function dispositionOf(mediaType: string): 'attachment' | 'inline' {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return INERT.test(essence) ? 'inline' : 'attachment';
}
