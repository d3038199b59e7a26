package catalog

import "errors"

func (o *Object) parse()                             { o.Unreadable = errors.New("x") }
func (o *Object) parseDatabase(full, comment string) { o.Unreadable = errors.New("x") }
