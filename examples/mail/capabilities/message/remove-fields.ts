/** Returns a message without the header fields of a name; folded lines go with their field. */
export function removeFields(octets: Uint8Array, name: string): Uint8Array {
  const message = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString(
    'latin1',
  );
  // An empty line ends the header.
  const end = /(?<=^|\n)\r?\n/.exec(message)?.index ?? message.length;
  const field = new RegExp(`(?<=^|\\n)${name}[ \\t]*:[^\\n]*(?:\\n[ \\t][^\\n]*)*(?:\\n|$)`, 'gi');
  const header = message.slice(0, end).replace(field, '');
  return Buffer.from(header + message.slice(end), 'latin1');
}
