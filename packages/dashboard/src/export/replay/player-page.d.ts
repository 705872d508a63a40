/** What the build makes of `player.ts`. */
declare module 'virtual:replay-player' {
  const parts: { readonly script: string; readonly style: string; readonly policy: string }
  export default parts
}
