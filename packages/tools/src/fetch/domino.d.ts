/** The package's own declarations declare a module of another name. */
declare module '@mixmark-io/domino' {
  const domino: {
    createDocument(html: string, force: boolean): import('./document.ts').PageDocument;
    readonly impl: { readonly [className: string]: { readonly prototype: object } };
  };
  export = domino;
}
