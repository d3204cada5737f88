package keymap

// Clusters has the keys of the list of clusters.
type Clusters struct {
	Connect Binding
}

func defaultClusters() Clusters {
	return Clusters{Connect: bind("enter", "connect", "enter")}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (c Clusters) Bindings() []Binding { return []Binding{c.Connect} }
