import { build } from 'esbuild'

/** What a page consists of that loads nothing else. */
interface PageParts {
  readonly script: string
  readonly style: string
  /** The files that it was made from. */
  readonly inputs: readonly string[]
}

export async function bundlePage(entry: string): Promise<PageParts> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    outdir: '.',
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'iife',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  })
  const textOf = (suffix: string): string =>
    outputFiles.find(({ path }) => path.endsWith(suffix))?.text.trim() ?? ''
  return {
    // The parser ends a script at the first of these, wherever it stands.
    script: textOf('.js').replaceAll('</script', String.raw`<\/script`),
    style: textOf('.css'),
    inputs: Object.keys(metafile.inputs),
  }
}
