/** Families of properties: names that begin alike, and say in parts what is asked for. */

/** A part of a name in a family. */
export interface NamePart {
  /** The member of the parsed name that has it. */
  readonly key: string;
  /** The texts that are allowed; any text where it is left out. */
  readonly values?: readonly string[];
  /** A name may go without it. */
  readonly optional?: true;
}

/** The names of a family: `header:*`, with the parts behind `header:`. */
export interface NameFamily {
  readonly name: string;
  /** In order; a name has the first of them at least. */
  readonly parts: readonly NamePart[];
}

/** A name of a family in its parts: `{ name: 'header:Subject:asText', field: 'Subject', … }`. */
export type FamilyName = { readonly name: string } & Readonly<Record<string, string>>;

/** Code points of a name that a client may ask for. */
export const MAX_FAMILY_NAME = 255;

/** Returns the text that all names of a family begin with: `header:` of `header:*`. */
export function prefixOf({ name }: Pick<NameFamily, 'name'>): string {
  return name.slice(0, -1);
}

/** Returns the text between the parts of a name: the last character of the prefix. */
export function separatorOf(family: Pick<NameFamily, 'name'>): string {
  return prefixOf(family).slice(-1);
}

/**
 * Returns a name in its parts, or in words why the family has no such name. A part with values
 * that may be left out is left out where the text is none of them. The text behind the prefix is
 * divided at the separator; a part has at least one character.
 */
export function parseFamilyName(family: NameFamily, name: string): FamilyName | string {
  if (name.length > MAX_FAMILY_NAME && [...name].length > MAX_FAMILY_NAME)
    return `a name has at most ${MAX_FAMILY_NAME} characters`;
  const texts = name.slice(prefixOf(family).length).split(separatorOf(family));
  const parsed: Record<string, string> = { name };
  let missed: NamePart | undefined;
  for (const part of family.parts) {
    const [text = ''] = texts;
    if (text !== '' && (part.values?.includes(text) ?? true)) {
      parsed[part.key] = text;
      texts.shift();
    } else {
      if (part.optional !== true) return whyNot(part);
      missed ??= part;
    }
  }
  if (texts.length === 0) return parsed as FamilyName;
  return missed === undefined ? 'it has further parts' : whyNot(missed);
}

function whyNot({ key, values }: NamePart): string {
  return values === undefined ? `"${key}" is missing` : `"${key}" is one of ${values.join(', ')}`;
}
