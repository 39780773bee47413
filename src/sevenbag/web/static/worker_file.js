// Runs the worker whose blob: address follows the "#" of this script's address.
// A worker made from a blob: address itself has the policy of its page, which refuses `new Function`.
"use strict";
{
  const address = self.location.hash.slice(1);
  if (self.name.endsWith(".mjs")) {
    import(address)
      .catch((error) => {
        // The page hears of errors, but not of rejected promises.
        setTimeout(() => {
          throw error;
        });
      })
      .finally(() => URL.revokeObjectURL(address));
  } else {
    try {
      importScripts(address);
    } finally {
      URL.revokeObjectURL(address);
    }
  }
}
