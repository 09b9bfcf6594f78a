/** The package's own declarations name a module that is not it. */
declare module '@mixmark-io/domino' {
  const domino: {
    createDocument(html: string, force: boolean): import('./document.ts').PageDocument;
    readonly impl: { readonly [className: string]: { readonly prototype: object } };
  };
  export = domino;
}
