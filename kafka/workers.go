package kafka

import "sync"

// workers are the goroutines of a Client. A panic in one of them is handed to
// panicked, where there is one, so that whoever owns the terminal can give it
// back before the program ends.
type workers struct {
	wg       sync.WaitGroup
	panicked func(recovered any)
}

// Go runs work in a goroutine of its own.
func (w *workers) Go(work func()) {
	w.wg.Go(func() {
		if w.panicked != nil {
			defer func() {
				if r := recover(); r != nil {
					w.panicked(r)
				}
			}()
		}
		work()
	})
}

// Wait waits for all of them.
func (w *workers) Wait() { w.wg.Wait() }
