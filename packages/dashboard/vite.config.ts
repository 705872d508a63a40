import { defineConfig } from 'vite'
import { writeManifest } from './build/manifest.ts'
import { replayPlayer } from './build/replay-player.ts'

export default defineConfig({
  root: import.meta.dirname,
  // Deep links are served the same page, so its files are named from the top.
  base: '/ui/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../waymark/dist/ui',
    emptyOutDir: true,
    target: 'es2023',
    // One style sheet, so that no view appears unstyled.
    cssCodeSplit: false,
    // The polyfill is an inline script, which the page's policy refuses.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  plugins: [replayPlayer(), writeManifest()],
})
