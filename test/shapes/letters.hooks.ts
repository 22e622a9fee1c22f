import { HookRefusal } from 'jmapsmith/capability';
import type { Hooks } from '../generated/letters/hooks.js';
import type { LetterAnswered, LetterFamilies } from '../generated/letters/Letter.definition.js';
import { parcelType } from '../generated/letters/Parcel.definition.js';

/** Returns the values of a header field. */
function fieldsOf(raw: string, { field, form }: LetterFamilies['header:*']): readonly unknown[] {
  const [head = ''] = raw.split('\n\n');
  const lines = head
    .split('\n')
    .filter((line) => line.toLowerCase().startsWith(`${field.toLowerCase()}:`));
  const texts = lines.map((line) => line.slice(field.length + 1));
  if (form === 'asText') return texts.map((text) => text.trim());
  if (form === 'asList') return texts.map((text) => text.split(',').map((part) => part.trim()));
  return texts;
}

export const hooks = {
  types: {
    Letter: {
      answer(objects, { properties, families }, { arguments: { fetchBody, maxBodyBytes = 0 } }) {
        for (const { field } of families['header:*'])
          if (field === 'Bcc') throw new HookRefusal('invalidArguments', 'Nobody reads Bcc.');
        const answers = objects.map(({ id, raw, stamp, folder }) => {
          const body = raw.split('\n\n')[1] ?? '';
          const headers = Object.fromEntries(
            families['header:*'].map((name) => {
              const values = fieldsOf(raw, name);
              return [name.name, name.all === 'all' ? values : (values.at(-1) ?? null)];
            }),
          );
          const sentAt = /^Date: (.*)$/m.exec(raw)?.[1];
          const members: Partial<LetterAnswered> = {
            ...headers,
            preview: body.slice(0, 20),
            postage: folder === 'free' ? -1 : stamp,
            ...(sentAt === undefined ? {} : { sentAt }),
            ...(properties.has('lineCount') ? { lineCount: raw.split('\n').length } : {}),
            ...(fetchBody === true
              ? {
                  bodyValue: {
                    value: maxBodyBytes > 0 ? body.slice(0, maxBodyBytes) : body,
                    isTruncated: maxBodyBytes > 0 && body.length > maxBodyBytes,
                  },
                }
              : {}),
          };
          return [id, members] as const;
        });
        return new Map(answers);
      },
    },
    Label: {
      answer: (labels, { families }) =>
        new Map(
          labels.map(({ id, title, weight }) => {
            const words = title.split(' ');
            const named = families['word:*'].map(({ name, place }) => [
              name,
              words[Number(place)] ?? null,
            ]);
            const initials = words.map(([first = '']) => first).join('');
            return [id, { initials, heavy: weight > 10, ...Object.fromEntries(named) }] as const;
          }),
        ),
    },
    Postbox: {
      answer: (boxes) => new Map(boxes.map(({ id, colour }) => [id, { isRed: colour === 'red' }])),
      methods: {
        set: {
          before(args) {
            for (const { colour } of Object.values(args.update ?? {}))
              if (colour === 'black') throw new HookRefusal('invalidArguments', 'No box is black.');
            return args;
          },
        },
      },
    },
  },
  methods: {
    'Parcel/set': async ({ accountId, contents }, _call, tx) => {
      const weight = contents.reduce((sum, one) => sum + one, 0);
      const { created, newState } = await tx.set(parcelType, { create: { k: { weight } } });
      return { accountId, id: created?.['k']?.id ?? '', newState };
    },
  },
} satisfies Hooks;
