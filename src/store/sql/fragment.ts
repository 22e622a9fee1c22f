/**
 * A piece of SQL with its parameters, in the order of the text. Values never become text: `render`
 * puts a placeholder where each stands, so one text serves all values and is prepared once.
 */
export interface Fragment {
  /** One more than `values`: the text before, between and after the parameters. */
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
  /** How many rows it reads depends on whose they are: no plan is as good for all. */
  readonly scans?: true;
}

export type SqlValue = string | number | null;

/** Marks trusted text (a keyword, a quoted identifier) in a template. */
class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { Raw };

/** Returns trusted text for a template. Never of a client's making. */
export function raw(text: string): Raw {
  return new Raw(text);
}

/** Returns a quoted identifier: a table, a column. */
export function name(identifier: string): Raw {
  return new Raw(quote(identifier));
}

export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/**
 * Composes a fragment: nested fragments are joined in, raw text is taken over, all else is a
 * parameter.
 */
export function sql(
  template: TemplateStringsArray,
  ...parts: readonly (Fragment | Raw | SqlValue)[]
): Fragment {
  const texts: string[] = [];
  const values: SqlValue[] = [];
  let text = template[0] ?? '';
  parts.forEach((part, index) => {
    const after = template[index + 1] ?? '';
    if (part instanceof Raw) {
      text += part.text + after;
    } else if (typeof part === 'object' && part !== null) {
      text += part.texts[0] ?? '';
      if (part.values.length > 0) {
        texts.push(text);
        for (const middle of part.texts.slice(1, -1)) texts.push(middle);
        for (const value of part.values) values.push(value);
        text = part.texts.at(-1) ?? '';
      }
      text += after;
    } else {
      texts.push(text);
      values.push(part);
      text = after;
    }
  });
  texts.push(text);
  return { texts, values };
}

type Placeholder = (position: number) => string;

/** Returns the text with placeholders; `placeholder` gets the parameter's position, from 1. */
export function render({ texts }: Fragment, placeholder: Placeholder): string {
  return texts.reduce((text, next, index) => text + placeholder(index) + next);
}
