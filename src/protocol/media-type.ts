const MAX_LENGTH = 512;

const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
export const MEDIA_TYPE = new RegExp(
  `^${NAME}/${NAME}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`,
);

/**
 * Returns true for a media type that may be stored and sent as a Content-Type: RFC 6838 4.2 says
 * how type and subtype look, RFC 9110 5.6.6 parameters. ASCII only and at most 512 octets, so it is
 * safe in a header.
 */
export function isMediaType(text: string): boolean {
  return text.length <= MAX_LENGTH && MEDIA_TYPE.test(text);
}

/** The media type of octets for which nobody names one. */
export const DEFAULT_MEDIA_TYPE = 'application/octet-stream';
