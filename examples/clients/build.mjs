// Builds the applications with esbuild. Vue, Svelte and Solid bring compilers of their own.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { transformAsync } from '@babel/core';
import presetSolid from 'babel-preset-solid';
import { build, transform } from 'esbuild';
import { compile as compileSvelte } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

export const APPS = ['react', 'vue', 'svelte', 'solid'];

const vue = {
  name: 'vue',
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { descriptor } = parse(await readFile(path, 'utf8'), { filename: path });
      const { content } = compileScript(descriptor, { id: basename(path), inlineTemplate: true });
      return { contents: content, loader: 'ts' };
    });
  },
};

const svelte = {
  name: 'svelte',
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compileSvelte(await readFile(path, 'utf8'), { filename: path });
      return { contents: js.code, loader: 'js' };
    });
  },
};

const solid = {
  name: 'solid',
  setup({ onLoad }) {
    onLoad({ filter: /solid\/.*\.tsx$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const { code } = await transform(text, { loader: 'tsx', jsx: 'preserve' });
      const options = { filename: path, presets: [presetSolid], configFile: false };
      return { contents: (await transformAsync(code, options)).code, loader: 'js' };
    });
  },
};

/** Resolves to the program of an application, for browsers. */
export async function buildApp(name) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import './${name}/main.js';`,
      resolveDir: import.meta.dirname,
    },
    outfile: join(name, 'app.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    // In this checkout, packages are their sources.
    conditions: ['jmapsmith-source', 'svelte'],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [vue, svelte, solid],
    write: false,
  });
  return outputFiles[0].text;
}
